import { defined } from '../../lib/defined.ts'
import type { FakeOutcome, FakeRequest } from './fake-protocol.ts'
import type { FakeReply } from './fake-reply.ts'
import { fillSchema, quoteNumbers } from './fill-schema.ts'

/** About how many characters a token has, for counts that are only made up. */
const TOKEN_CHARACTERS = 4

/** The model's answer to a request, formed as the reply says. */
export function composeOutcome(asked: FakeRequest, reply: FakeReply): FakeOutcome {
  const said = sayingOf(asked, reply)
  const inTool = asked.channel === 'tools' && asked.toolName !== undefined && reply.inWords === undefined
  const refusal = reply.refusal === true ? 'I cannot help with that.' : reply.refusal
  const silent = refusal !== undefined || reply.filtered === true || reply.empty === true
  const call = { name: reply.otherTool ? 'another_tool' : (asked.toolName ?? ''), arguments: said }
  const count = reply.twoObjects ? 2 : 1
  const prose = reply.prose ? 'Here is my verdict: ' : ''
  return {
    text: silent
      ? ''
      : inTool
        ? prose
        : `${prose}${Array(count).fill(said).join('\n')}${reply.prose ? ' I hope this helps.' : ''}`,
    calls: silent || !inTool ? [] : Array(count).fill(call),
    ...defined({ refusal }),
    finish:
      refusal !== undefined ? 'refused' : reply.filtered ? 'filtered' : reply.truncate ? 'length' : 'stop',
    ...(reply.noUsage ? {} : { usage: usageOf(asked, said) }),
    ...logprobsOf(asked, reply, said),
  }
}

function sayingOf({ schema }: FakeRequest, { content, quotedNumbers, truncate }: FakeReply): string {
  const value = content ?? (schema === undefined ? 'An answer of the fake judge.' : fillSchema(schema))
  const text = typeof value === 'string' ? value : JSON.stringify(quotedNumbers ? quoteNumbers(value) : value)
  return truncate ? text.slice(0, Math.floor(text.length / 2)) : text
}

function usageOf({ messages }: FakeRequest, said: string): { prompt: number; completion: number } {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
  return { prompt: tokens(characters), completion: tokens(said.length) }
}

function logprobsOf(asked: FakeRequest, reply: FakeReply, said: string): { logprobs?: readonly number[] } {
  if (!asked.wantsLogprobs) return {}
  return { logprobs: reply.logprobs ?? Array(tokens(said.length)).fill(-0.1) }
}

function tokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / TOKEN_CHARACTERS))
}
