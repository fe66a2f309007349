import * as z from 'zod'
import { getCustomEvaluator, unsavedEvaluator } from '../../../control/custom-evaluators.ts'
import type { CustomEvaluator } from '../../../domain/custom-evaluator.ts'
import { CANONICAL_FIELDS } from '../../../domain/evaluator.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { defined } from '../../../lib/defined.ts'
import type { TrialSource } from '../../../pipeline/execute/run-trial.ts'
import { readTrialUnit } from '../../../query/trial-rows.ts'
import { defineRoute, type RouteDeps, StreamedAnswer } from '../../route.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { customEvaluatorInput, toDraft } from './custom-evaluator-input.ts'
import { readTrialLabels } from './trial-labels.ts'
import { trialLines } from './trial-lines.ts'

/** Most rows of one trial. */
export const TRIAL_ROWS_MAX = 50
const CANDIDATES_MAX = 2
const NAME_CHARS_MAX = 255

const candidate = z
  .union([
    z.object({
      evaluator: requiredName(NAME_CHARS_MAX).describe('A stored custom evaluator, by id or slug.'),
      version: boundedText(64).optional().describe('Number or id of a version; absent: the newest.'),
    }),
    z.object({ draft: customEvaluatorInput.describe('One that is not stored.') }),
  ])
  .meta({ id: 'TrialCandidate' })

const hexId = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `must be ${bytes * 2} lower-case hex digits`)

const row = z
  .union([
    z.object({ input: z.looseObject({}).describe('The inputs themselves.') }),
    z.object({
      trace_id: hexId(16),
      span_id: hexId(8).optional().describe('Absent: the whole trace.'),
    }),
  ])
  .meta({ id: 'TrialRowRef' })

const trialInput = z
  .object({
    candidates: z.array(candidate).min(1).max(CANDIDATES_MAX).describe('One, or two to compare.'),
    rows: z.array(row).min(1).max(TRIAL_ROWS_MAX),
    fields: z
      .record(z.string(), z.enum(CANONICAL_FIELDS))
      .optional()
      .describe('By input: the field of a row it is taken from, where its name does not tell.'),
    label: requiredName(NAME_CHARS_MAX)
      .optional()
      .describe('The name of the human annotations to compare with; absent: no comparison.'),
  })
  .meta({ id: 'TrialInput' })

export const runTrialRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluators/trials',
  operationId: 'runTrial',
  tag: 'Evaluators',
  summary: 'Try one or two custom evaluators on many rows',
  description:
    'Sends one JSON object per line while it works: `{"result": …}` for each candidate on each row, in the order of their ends, ' +
    'and at last `{"summary": …}` with totals, cost and agreement with people. A result has `row`, `candidate` and either an ' +
    'answer with its verdict or a `problem`. Four evaluations are under way at a time. Closing the connection ends it, and so ' +
    'does a budget that is spent. No evaluation is stored; what it costs counts towards the budgets.',
  access: 'write',
  body: trialInput,
  success: {
    status: 200,
    description: 'The results. An answer without a `summary` is not complete.',
    contentType: 'application/x-ndjson',
  },
  errors: {
    404: 'The organization knows no such evaluator.',
    429: 'Too many trials are under way.',
  },
  async handle({ principal, body, signal }, deps) {
    const candidates = await Promise.all(body.candidates.map((each) => customOf(deps, principal, each)))
    const labels = await readTrialLabels(deps, principal, candidates, body)
    const results = deps.trials.run({
      ...{ who: principal, candidates, signal, fields: body.fields ?? {} },
      rows: body.rows.map((each) => sourceOf(deps, principal, each)),
    })
    const lines = trialLines(results, { candidates, labels, rows: body.rows.length })
    return new StreamedAnswer('application/x-ndjson', lines, { isLive: true })
  },
})

async function customOf(
  deps: RouteDeps,
  principal: Principal,
  given: z.output<typeof candidate>,
): Promise<CustomEvaluator> {
  if ('draft' in given) return unsavedEvaluator(deps, toDraft(given.draft))
  return getCustomEvaluator(deps, principal, given.evaluator, given.version)
}

function sourceOf({ storage }: RouteDeps, principal: Principal, given: z.output<typeof row>): TrialSource {
  if ('input' in given) return { input: given.input }
  const unit = { traceId: given.trace_id, ...defined({ spanId: given.span_id }) }
  return { read: () => readTrialUnit(storage, principal, unit) }
}

/** A checked body. */
export type TrialInput = z.output<typeof trialInput>
