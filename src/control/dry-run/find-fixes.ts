import type { EvaluatorOverride, InputMapping, SetupEntry } from '../../domain/setup.ts'
import { requiredInputs } from '../../evaluators/kit/span-inputs.ts'
import { oneLine } from '../../lib/one-line.ts'
import type { EntryEvaluator } from '../entry-evaluators.ts'
import { likelyAttributes } from './likely-attributes.ts'
import { type EntryTrial, type TrialUnits, tryEntry } from './try-entry.ts'

/** Fixes that are offered for one evaluator. */
export const FIXES_MAX = 4
/** Attributes that are tried for one input. */
const ATTRIBUTES_TRIED_MAX = 12
const KEY_CHARS_MAX = 60

/** A change of the setup after which an evaluator that cannot start does. */
export interface Fix {
  /** For a button, such as `Use the whole trace`. */
  readonly label: string
  /** Takes the place of the override of the entry. */
  readonly override: EvaluatorOverride
}

/**
 * Looks for changes that let an entry bind which does not: each is tried on the same units by the code that binds, and only those that
 * work are offered.
 */
export function findFixes(
  entry: SetupEntry,
  found: EntryEvaluator | undefined,
  units: TrialUnits,
  trial: EntryTrial,
): Fix[] {
  if (!found || trial.errorMessage === undefined) return []
  const works = ({ override }: Fix) =>
    tryEntry({ ...entry, override }, found, units).errorMessage === undefined
  const fixes: Fix[] = []
  for (const fix of proposals(entry, found, units, trial)) {
    if (fixes.length === FIXES_MAX) break
    if (works(fix)) fixes.push(fix)
  }
  return fixes
}

function* proposals(
  entry: SetupEntry,
  found: EntryEvaluator,
  units: TrialUnits,
  trial: EntryTrial,
): Generator<Fix> {
  const missing = missingInputs(entry, found, trial)
  const { mapping = {} } = entry.override
  for (const name of missing) {
    const field = found.evaluator.fromSpan[name]
    if (Object.hasOwn(mapping, name) && field) {
      const { [name]: _, ...rest } = mapping
      yield { label: `Take ${name} from ${inWords(field)}`, override: { ...entry.override, mapping: rest } }
    }
  }
  if (trial.scope === 'span' && units.traces && units.traces.length > 0) {
    yield { label: traceLabel(missing, found), override: { ...entry.override, scope: 'trace' } }
  }
  for (const name of missing) {
    for (const { source, key } of likelyAttributes(name, units.spans).slice(0, ATTRIBUTES_TRIED_MAX)) {
      const mapped: InputMapping = { from: { source, key } }
      yield {
        label: `Take ${name} from the attribute ${oneLine(key, KEY_CHARS_MAX)}`,
        override: { ...entry.override, mapping: { ...mapping, [name]: mapped } },
      }
    }
  }
}

/** Inputs that no unit gives, or that nothing says where to take from. */
function missingInputs(entry: SetupEntry, { evaluator }: EntryEvaluator, { inputs }: EntryTrial): string[] {
  const required = requiredInputs(evaluator)
  const { mapping = {} } = entry.override
  const unmapped = required.filter(
    (name) => !Object.hasOwn(mapping, name) && evaluator.fromSpan[name] === null,
  )
  if (unmapped.length > 0) return unmapped
  return required.filter((name) => inputs !== undefined && inputs.missingByInput[name] === inputs.checked)
}

/** Names the span that has the documents, where it is only these that are missing. */
function traceLabel(missing: readonly string[], { evaluator }: EntryEvaluator): string {
  const [only] = missing
  const isContext = missing.length === 1 && only !== undefined && evaluator.fromSpan[only] === 'context'
  return isContext ? `Take ${only} from the retrieval span` : 'Use the whole trace'
}

function inWords(field: string): string {
  return `the ${field.replaceAll('_', ' ')} of the span`
}
