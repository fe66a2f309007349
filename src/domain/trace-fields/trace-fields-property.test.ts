import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SampleSpan, spansOfTrace } from '../../../tests/support/trace-case.ts'
import {
  genAiAgents,
  openinferenceAgent,
  openllmetryAgent,
  vercelAgent,
} from '../../../tests/support/trace-samples.ts'
import type { Span } from '../../lib/otlp/span.ts'
import { traceFields } from './trace-fields.ts'

/** Numbers below 1 that look random and are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 0x1_0000_0000
  }
}

const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

const WORDS = ['yes', 'no', 'again', 'Oslo', 'a longer text that is said by several parts of the application']

/** A span of any kind with others within it; texts are few, so that they repeat. */
function randomSpan(random: () => number, levels: number): SampleSpan {
  const word = () => WORDS[Math.floor(random() * WORDS.length)] as string
  const kind = ['workflow', 'task', 'agent', 'tool', 'chat', 'other'][Math.floor(random() * 6)] as string
  const within = Array.from({ length: levels === 0 ? 0 : Math.floor(random() * 4) }, () =>
    randomSpan(random, levels - 1),
  )
  const history = Array.from({ length: Math.floor(random() * 4) }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: word(),
  }))
  const attributes: Readonly<Record<string, string>> =
    kind === 'other'
      ? {}
      : kind === 'chat'
        ? {
            'gen_ai.input.messages': JSON.stringify([...history, { role: 'user', content: word() }]),
            'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: word() }]),
          }
        : {
            'traceloop.span.kind': kind,
            'traceloop.entity.name': word(),
            'traceloop.entity.input': JSON.stringify(word()),
            'traceloop.entity.output': JSON.stringify(word()),
          }
  return {
    name: kind,
    attributes,
    within,
    ...(random() < 0.1 && { error: 'broken' }),
    ...(random() < 0.1 && { behindMs: Math.floor(random() * 1_000) }),
  }
}

/** Traces of every dialect and of none, some of whose spans were lost, and sessions of two of them. */
function* traces(): Generator<{ name: string; spans: readonly Span[] }> {
  for (const { name, spans } of [openllmetryAgent, openinferenceAgent, vercelAgent, genAiAgents])
    yield { name, spans: spansOfTrace(1, ...spans) }
  for (let seed = 1; seed <= 60; seed++) {
    const random = numbersFrom(seed)
    const whole = [1, 2].flatMap((number) => spansOfTrace(number, randomSpan(random, 4)))
    const lossy = whole.filter(() => random() < 0.9)
    yield { name: `seed ${seed}`, spans: seed % 3 === 0 ? lossy : whole }
  }
}

const allOf = (spans: readonly Span[]) => {
  const fields = traceFields(spans)
  const values = fields?.found().map((field) => [field, fields.get(field)])
  return { values, root: fields?.root, steps: fields?.steps }
}

test('the order in which spans arrive changes nothing', () => {
  for (const { name, spans } of traces()) {
    const random = numbersFrom(99)
    for (let round = 0; round < 2; round++)
      assert.deepEqual(allOf(shuffled(spans, random)), allOf(spans), name)
  }
})

test('spans that arrive more than once change nothing', () => {
  for (const { name, spans } of traces()) {
    const random = numbersFrom(7)
    const again = shuffled(
      [...spans, ...spans.filter(() => random() < 0.5).map((span) => ({ ...span }))],
      random,
    )
    assert.deepEqual(allOf(again), allOf(spans), name)
  }
})

test('of two reports of a span the one that ended later counts, whichever came first', () => {
  const [early, late] = ['so far', 'to the end'].map((completion, at) =>
    spansOfTrace(1, {
      name: 'chat',
      attributes: { 'gen_ai.prompt.0.content': 'Hi', 'gen_ai.completion.0.content': completion },
    }).map((span) => ({ ...span, endUnixNano: span.endUnixNano + BigInt(at) })),
  ) as [Span[], Span[]]
  assert.equal(traceFields([...early, ...late])?.get('completion'), 'to the end')
  assert.equal(traceFields([...late, ...early])?.get('completion'), 'to the end')
})

test('every value of a trace can be asked for, and none is an empty text or list', () => {
  for (const { name, spans } of traces()) {
    const fields = traceFields(spans)
    for (const field of fields?.found() ?? [])
      assert.notEqual(fields?.get(field)?.length, 0, `${name} ${field}`)
  }
})
