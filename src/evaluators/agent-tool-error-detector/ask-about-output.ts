import { oneLine } from '../../lib/one-line.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { TROUBLE_WORDS } from './failure-phrases.ts'

/** The verdict about a call of a tool. */
export interface ToolErrorAnswer {
  readonly success: boolean
  readonly reason: string
}

/** How much of the output is shown around a word about trouble, in characters on either side. */
const AROUND_CHARS = 1_000
/** Most questions about one output; with more passages than fit into these, it is too long for a judge. */
const QUESTIONS_MAX = 5
/** How much of the input is shown, in characters; it only tells what was asked for. */
const INPUT_CHARS_MAX = 4_000
/** How much of an error is quoted, in characters. */
const QUOTED_CHARS_MAX = 200

const TASK = [
  'A tool was called. Decide from what it returned whether the call itself failed. The one item is the call.',
  'failed: the tool reports that it could not do what it was asked to do; quote the words in which it says so.',
  'worked: it did. Words about errors that belong to what was asked for, such as articles, logs, code, search results,',
  'records of earlier failures, warnings, or an empty result, are no failure of the tool.',
].join('\n')

/** Asks about an output that has words about trouble, but not where a tool would put its own failure. */
export async function askAboutOutput(
  toolInput: string,
  toolOutput: string,
  judge: Judge,
): Promise<ToolErrorAnswer> {
  const passages = passagesOf(toolOutput)
  for (const passage of passages) {
    const [judged] = await judgeItems(judge, {
      prompt: 'agent-tool-error-detector/output@1',
      task: TASK,
      material: [
        { label: 'what the tool was given', data: toolInput.slice(0, INPUT_CHARS_MAX) },
        { label: passages.length > 1 ? 'a part of what it returned' : 'what it returned', data: passage },
      ],
      items: ['the call of the tool'],
      verdicts: ['failed', 'worked'],
      evidence: { verdicts: ['failed'], source: toolOutput, otherwise: 'worked' },
    })
    judge.note('output', judged)
    if (judged?.verdict === 'failed')
      return {
        success: false,
        reason: `The output reports an error: ${oneLine(judged.quote, QUOTED_CHARS_MAX)}`,
      }
  }
  return { success: true, reason: 'The words about errors in the output are not about this call.' }
}

/**
 * The whole output where it fits into one question. Of a longer one, what stands around the words about trouble: nothing
 * else can report a failure.
 */
function passagesOf(output: string): string[] {
  if (output.length <= SOURCE_CHARS_PER_QUESTION) return [output]
  const passages: string[] = []
  const words = new RegExp(
    TROUBLE_WORDS,
    TROUBLE_WORDS.flags.includes('g') ? TROUBLE_WORDS.flags : `${TROUBLE_WORDS.flags}g`,
  )
  let open = ''
  let end = 0
  for (const { index } of output.matchAll(words)) {
    if (index < end) continue
    const from = Math.max(end, index - AROUND_CHARS)
    const piece = output.slice(from, index + AROUND_CHARS)
    end = index + AROUND_CHARS
    if (open.length + piece.length > SOURCE_CHARS_PER_QUESTION) {
      passages.push(open)
      open = ''
      if (passages.length === QUESTIONS_MAX) throw tooLong()
    }
    open += `${open === '' ? '' : '\n[...]\n'}${piece}`
  }
  return [...passages, open]
}

function tooLong(): PublicError {
  return new PublicError(
    'too_large',
    `input.tool_output is too long for a judge: it has words about errors in more than ${QUESTIONS_MAX * SOURCE_CHARS_PER_QUESTION} characters`,
  )
}
