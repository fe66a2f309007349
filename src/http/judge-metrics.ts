import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { JudgeCounters } from '../pipeline/judging/judge-counters.ts'

/** Models that have numbers of their own; tenants name models, and there may be any number of those. */
const MODELS_MAX = 100
const CALL_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60]

/** The numbers of judging. */
export function createJudgeCounters(registry: Registry): JudgeCounters {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const calls = counter('assay_judge_calls_total', 'Calls of providers by how they ended.', [
    'model',
    'outcome',
  ])
  const durations = new Histogram({
    name: 'assay_judge_call_duration_seconds',
    help: 'How long a call of a provider took.',
    labelNames: ['model'],
    buckets: CALL_BUCKETS_S,
    registers: [registry],
  })
  const tokens = counter('assay_judge_tokens_total', 'Tokens that providers counted.', ['model', 'direction'])
  const cost = counter('assay_judge_cost_usd_total', 'What calls of a known price cost, in US dollars.', [
    'model',
  ])
  const unpriced = counter('assay_judge_unpriced_calls_total', 'Calls whose price is not known.', ['model'])
  const hits = counter('assay_judge_cache_hits_total', 'Questions that were answered before.', ['model'])
  const repairs = counter('assay_judge_repairs_total', 'Verdicts that had to be asked for once more.', [
    'model',
  ])
  const unwritten = counter(
    'assay_judge_unwritten_answers_total',
    'Answers that could not be kept; the same question will be paid for again.',
  )
  const breakers = new Gauge({
    name: 'assay_judge_breaker_open',
    help: '1 while a provider is not called because it failed too often.',
    labelNames: ['provider'],
    registers: [registry],
  })
  const slots = new Gauge({
    name: 'assay_judge_slots',
    help: 'Calls of a provider that are under way (used) or wait for a place (waiting).',
    labelNames: ['provider', 'state'],
    registers: [registry],
  })
  const known = new Set<string>()
  const label = (model: string) => {
    if (known.size < MODELS_MAX) known.add(model)
    return known.has(model) ? model : 'other'
  }
  return {
    countCall(model, outcome, seconds) {
      calls.inc({ model: label(model), outcome })
      durations.observe({ model: label(model) }, seconds)
    },
    countUsage(name, { promptTokens = 0, completionTokens = 0 }, costMicros) {
      const model = label(name)
      tokens.inc({ model, direction: 'prompt' }, promptTokens)
      tokens.inc({ model, direction: 'completion' }, completionTokens)
      if (costMicros === undefined) unpriced.inc({ model })
      else cost.inc({ model }, costMicros / 1e6)
    },
    countCacheHit: (model) => hits.inc({ model: label(model) }),
    countRepair: (model) => repairs.inc({ model: label(model) }),
    countUnwritten: (answers) => unwritten.inc(answers),
    setBreaker: (provider, state) => breakers.set({ provider }, state === 'closed' ? 0 : 1),
    changeSlots(provider, { waiting = 0, used = 0 }) {
      slots.inc({ provider, state: 'waiting' }, waiting)
      slots.inc({ provider, state: 'used' }, used)
    },
  }
}
