import { zstdCompressSync } from 'node:zlib'
import type { MonitorVersion } from '../../src/domain/monitor.ts'
import { addUnit, emptyUnits, type UnitSet } from '../../src/domain/unit-set.ts'
import { builtInId, findBuiltIn } from '../../src/evaluators/catalogue.ts'
import type { StoredBatch } from '../../src/ports/span-storage.ts'
import { encodeSpans, type TestSpan, testId } from '../otlp/encode-traces.ts'
import { trap } from './trap-evaluator.ts'

/** The arrival of every batch. */
export const RECEIVED_AT_MS = 1_900_000_000_000

/** A chat span of OpenLLMetry that was answered with this text; its ids are made of the number. */
export function chatSpan(number: number, completion: string, rest: Partial<TestSpan> = {}): TestSpan {
  return {
    traceId: testId(16, number + 1),
    spanId: testId(8, number + 1),
    name: 'openai.chat',
    startUnixNano: 1_800_000_000_000_000_000n + BigInt(number) * 1_000_000n,
    attributes: {
      'gen_ai.system': 'OpenAI',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `question ${number}`,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': completion,
    },
    ...rest,
  }
}

/** Spans as the store keeps them. */
export function storedBatch(spans: readonly TestSpan[], changes: Partial<StoredBatch> = {}): StoredBatch {
  const bytes = encodeSpans(...spans)
  return {
    batchId: 7,
    receivedAtMs: RECEIVED_AT_MS,
    envProjectId: 'environment',
    bytes: zstdCompressSync(bytes),
    byteLength: bytes.length,
    knownFaults: [],
    ...changes,
  }
}

/** A version of a monitor with what the evaluator does by itself; its number names it. */
export function monitorVersion(
  slug: string,
  number: number,
  changes: Partial<MonitorVersion> = {},
): MonitorVersion {
  const evaluator = slug === trap.slug ? trap : findBuiltIn(slug)
  const fields = Object.entries(evaluator?.fromSpan ?? {}).flatMap(([name, field]) =>
    field ? [[name, { from: { field } }] as const] : [],
  )
  return {
    slug,
    evaluatorId: builtInId(slug),
    evaluatorVersion: evaluator?.version ?? 1,
    scope: 'span',
    config: {},
    mapping: Object.fromEntries(fields),
    samplingRate: 1,
    number,
    version: 1,
    ...changes,
  }
}

/** The set of these units. */
export function unitsOf(ordinals: Iterable<number>): UnitSet {
  const all = [...ordinals]
  const units = emptyUnits(Math.max(-1, ...all) + 1)
  for (const ordinal of all) addUnit(units, ordinal)
  return units
}
