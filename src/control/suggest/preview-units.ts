import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import { isSkipped, type SkippedSpans, spanRole } from '../../domain/span-role.ts'
import type { Principal } from '../../domain/tenant.ts'
import { traceFields } from '../../domain/trace-fields/trace-fields.ts'
import { type Verdict, verdictOf } from '../../domain/verdict.ts'
import type { ReadableSpan, SpanInputs } from '../../evaluators/kit/span-inputs.ts'
import { oneLine } from '../../lib/one-line.ts'
import { PublicError } from '../../lib/public-error.ts'
import { draftOf } from '../bind-entry.ts'
import type { EntryEvaluator } from '../entry-evaluators.ts'
import type { SampledApplication } from './sample-applications.ts'

/** Previews of one evaluator that are shown, and units that are evaluated to choose them from. */
const PREVIEWS_MAX = 3
const UNITS_MAX = 12
/** Previews that do not pass, where others do. */
const FAILED_FIRST_MAX = 2
/** Longest question or answer of a preview. */
const TEXT_CHARS_MAX = 400
/** Longest input, in bytes of its JSON, that is handed out so that a judge can be asked about it. */
const INPUT_BYTES_MAX = 32_768
/** Session units that are put together. */
const SESSIONS_MAX = 10

/** Runs an evaluator on one input; nothing is stored. */
export type RunEvaluator = (
  who: Principal,
  name: string,
  call: { readonly input: unknown; readonly config?: unknown },
  signal: AbortSignal,
) => Promise<{ readonly output: Record<string, unknown> }>

/** One answer of the application, and what an evaluator says about it. */
export interface Preview {
  readonly traceId: string
  /** Present where the unit is a single span. */
  readonly spanId?: string
  readonly question?: string
  readonly answer?: string
  /** The whole input; present where a judge has to be asked, who costs money, and where it is not too long. */
  readonly input?: Readonly<Record<string, string>>
  readonly output?: Readonly<Record<string, unknown>>
  readonly verdict?: Verdict
}

/** The units of an application that an evaluator with this scope would look at, the newest first. */
export function unitsOf(
  { traces, spans }: SampledApplication,
  scope: EvaluationScope,
  skips: SkippedSpans | undefined,
): ReadableSpan[] {
  if (scope === 'trace') return traces.map(({ fields }) => ({ span: fields.root, fields }))
  if (scope === 'span') {
    return spans.filter(({ span, fields }) => {
      return skips === undefined || !isSkipped(spanRole(span, fields), skips)
    })
  }
  const bySession = Map.groupBy(traces, ({ fields }) => fields.get('session_id') ?? fields.root.traceId)
  return [...bySession.values()].slice(0, SESSIONS_MAX).flatMap((session) => {
    const fields = traceFields(session.flatMap((trace) => trace.spans))
    return fields ? [{ span: fields.root, fields }] : []
  })
}

/** How an entry is run for a preview. */
export interface PreviewPlan {
  readonly entry: SetupEntry
  readonly found: EntryEvaluator
  readonly scope: EvaluationScope
  readonly skips: SkippedSpans | undefined
  /** False where a provider would have to be paid: then the previews carry the inputs instead of scores. */
  readonly isFree: boolean
}

/**
 * Takes a few units that give all inputs and scores them, where that is free. Answers that do not pass come first, because they tell
 * more; when the time is over, the rest is shown without a score.
 */
export async function previewUnits(
  { entry, found, scope, skips, isFree }: PreviewPlan,
  units: readonly ReadableSpan[],
  run: (input: Readonly<Record<string, string>>) => ReturnType<RunEvaluator>,
): Promise<Preview[]> {
  const draft = draftOf(entry, found, scope, skips)
  if ('faults' in draft) return []
  const given = units.flatMap((unit) => inputOf(draft.inputs, unit) ?? [])
  const chosen = distinct(given).slice(0, isFree ? UNITS_MAX : PREVIEWS_MAX)
  const previews = await Promise.all(
    chosen.map(async ({ unit, input }): Promise<Preview> => {
      const shown = showUnit(unit, scope)
      if (!isFree) return isShort(input) ? { ...shown, input } : shown
      const output = await run(input).then(
        (answer) => answer.output,
        (error: unknown) => {
          if (error instanceof PublicError) return undefined
          throw error
        },
      )
      if (output === undefined) return shown
      return { ...shown, output, verdict: verdictOf(found.evaluator.verdict, output) }
    }),
  )
  return mixed(previews)
}

/** Answers that do not pass and answers that do, as far as there are both; those without a score last. */
function mixed(previews: readonly Preview[]): Preview[] {
  const failed = previews.filter(({ verdict }) => verdict === 'fail')
  const others = previews.filter(({ verdict }) => verdict !== undefined && verdict !== 'fail')
  const unscored = previews.filter(({ verdict }) => verdict === undefined)
  const first = [...failed.slice(0, FAILED_FIRST_MAX), ...others.slice(0, PREVIEWS_MAX - FAILED_FIRST_MAX)]
  const rest = [
    ...failed.slice(FAILED_FIRST_MAX),
    ...others.slice(PREVIEWS_MAX - FAILED_FIRST_MAX),
    ...unscored,
  ]
  return [...first, ...rest].slice(0, PREVIEWS_MAX)
}

interface GivenInput {
  readonly unit: ReadableSpan
  readonly input: Readonly<Record<string, string>>
}

function inputOf(inputs: SpanInputs, unit: ReadableSpan): GivenInput | undefined {
  const given = inputs.read(unit)
  return 'input' in given ? { unit, input: given.input } : undefined
}

/** Different inputs first: three times the same answer tells as much as one. */
function distinct(given: readonly GivenInput[]): GivenInput[] {
  const seen = new Set<string>()
  const repeated: GivenInput[] = []
  const first = given.filter((one) => {
    const text = JSON.stringify(one.input)
    if (!seen.has(text)) return seen.add(text)
    repeated.push(one)
    return false
  })
  return [...first, ...repeated]
}

function showUnit({ span, fields }: ReadableSpan, scope: EvaluationScope): Preview {
  const text = (field: 'prompt' | 'completion') => {
    const value = fields.get(field)
    return value === undefined ? undefined : oneLine(value, TEXT_CHARS_MAX)
  }
  const question = text('prompt')
  const answer = text('completion')
  return {
    traceId: span.traceId,
    ...(scope === 'span' && { spanId: span.spanId }),
    ...(question !== undefined && { question }),
    ...(answer !== undefined && { answer }),
  }
}

function isShort(input: Readonly<Record<string, string>>): boolean {
  return Buffer.byteLength(JSON.stringify(input)) <= INPUT_BYTES_MAX
}
