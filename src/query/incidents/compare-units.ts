import { createHash } from 'node:crypto'
import { deployedVersion } from '../../domain/application.ts'
import { boundedName } from '../../domain/bounded-name.ts'
import type { ChangeProperty, ValueChange } from '../../domain/incidents/incident.ts'
import { type CallValues, findValueChanges } from '../../domain/incidents/value-changes.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import type { ContentStorage } from '../../ports/content-storage.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import type { SpanStorage } from '../../ports/span-storage.ts'
import type { TraceStorage } from '../../ports/trace-storage.ts'
import { fieldTexts } from '../show-spans.ts'
import { type SpanPlace, StoredSpanReader, UNPACKED_BYTES_MAX } from '../stored-span-reader.ts'

/** Units of each side whose spans are read. */
export const COMPARED_UNITS_MAX = 200
/** Spans of a trace that are looked at until each property was found. */
const SPANS_PER_TRACE_MAX = 20
const PLACES_PER_TRACE_MAX = 4
const HASH_DIGITS = 12
const PROMPT_NAMES = ['langfuse.prompt.name', 'traceloop.prompt.key', 'gen_ai.prompt.name', 'prompt.name']
const PROMPT_VERSIONS = [
  'langfuse.prompt.version',
  'traceloop.prompt.version',
  'llm.prompt_template.version',
  'gen_ai.prompt.version',
  'prompt.version',
]

/** The storage that units are read from. */
type ComparedStorage = SpanStorage & Pick<TraceStorage, 'listTracePlaces'> & ContentStorage

interface UnitPlace extends SpanPlace {
  readonly unit: StoredEvaluation
}

/** Compares what the spans of two samples of units say: models, versions and prompts whose share changed clearly. */
export async function compareUnits(
  storage: ComparedStorage,
  tenant: ProjectTenant,
  sample: { readonly before: readonly StoredEvaluation[]; readonly after: readonly StoredEvaluation[] },
): Promise<ValueChange[]> {
  const before = await readCalls(storage, tenant, sample.before.slice(0, COMPARED_UNITS_MAX))
  const after = await readCalls(storage, tenant, sample.after.slice(0, COMPARED_UNITS_MAX))
  return findValueChanges(before, after)
}

async function readCalls(
  storage: ComparedStorage,
  tenant: ProjectTenant,
  units: readonly StoredEvaluation[],
): Promise<CallValues[]> {
  const places: UnitPlace[] = []
  for (const unit of units) places.push(...(await placesOf(storage, tenant, unit)))
  const calls = new Map<number, CallValues>()
  const reader = new StoredSpanReader(storage, tenant, storage)
  await reader.each(places, ({ unit }, found) => {
    if (found) {
      // Of a trace, each property comes from the first span that has it.
      const known = calls.get(unit.number)?.values
      calls.set(unit.number, { traceId: unit.traceId, values: { ...valuesOf(found.view), ...known } })
    }
    return reader.unpackedBytes < UNPACKED_BYTES_MAX
  })
  return [...calls.values()]
}

/** Where the spans of a unit lie: a span knows it, a trace or a session is looked up. */
async function placesOf(
  storage: ComparedStorage,
  tenant: ProjectTenant,
  unit: StoredEvaluation,
): Promise<UnitPlace[]> {
  if (unit.spanId !== undefined) return [{ batchId: unit.batchId, ordinal: unit.ordinal, unit }]
  const places = await storage.listTracePlaces(tenant, unit.traceId, PLACES_PER_TRACE_MAX)
  return places
    .flatMap(({ batchId, units }) => listUnits(units).map((ordinal) => ({ batchId, ordinal, unit })))
    .slice(0, SPANS_PER_TRACE_MAX)
}

function valuesOf(view: SpanView): Partial<Record<ChangeProperty, string>> {
  const fields = spanFields(view.toSpan())
  const system = fields.get('system_prompt')
  const found: Record<ChangeProperty, string | undefined> = {
    model: fields.get('model'),
    service_version: deployedVersion(view.resource),
    prompt_name: firstText(view, PROMPT_NAMES),
    prompt_version: firstText(view, PROMPT_VERSIONS),
    // Only its hash: the text may be long, and may be about a person.
    system_prompt: system && createHash('sha256').update(system).digest('hex').slice(0, HASH_DIGITS),
  }
  const named = Object.entries(found).flatMap(([name, text]) => (text ? [[name, boundedName(text)]] : []))
  return Object.fromEntries(named)
}

function firstText(view: SpanView, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [text] = fieldTexts(name, view)
    if (text) return text
  }
  return undefined
}
