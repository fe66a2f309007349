import type { SchemaField } from '../domain/evaluator.ts'
import { isNumericField, measuredField } from '../domain/measured-field.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { loadKnownEvaluators } from '../evaluators/known-evaluators.ts'
import { invalidInput } from '../lib/public-error.ts'
import type { Storage } from '../ports/storage.ts'

export const FIELD_KINDS = ['number', 'boolean', 'label'] as const

/** A field of a monitor's output to look at. */
export interface MonitorField {
  readonly property: string
  /** The kind of its values; absent for an evaluator that is not known any more. */
  readonly kind?: (typeof FIELD_KINDS)[number]
  /** Only whole numbers. */
  readonly isWhole: boolean
}

/** The field that was named, or else the evaluator's first number or boolean. A name that it does not have is refused. */
export async function chooseMonitorField(
  storage: Storage,
  tenant: OrgTenant,
  slug: string,
  named: string | undefined,
): Promise<MonitorField> {
  const known = await loadKnownEvaluators(storage, tenant, [slug])
  const outputs = known.find(slug)?.outputSchema
  if (!outputs) {
    if (named === undefined)
      throw invalidInput('property is required for an evaluator that is no longer known')
    return { property: named, isWhole: false }
  }
  const field =
    named === undefined ? (measuredField(outputs) ?? outputs[0]) : outputs.find(({ name }) => name === named)
  if (!field) throw invalidInput(`property must be one of ${outputs.map(({ name }) => name).join(', ')}`)
  return { property: field.name, kind: kindOf(field), isWhole: field.type === 'int' }
}

function kindOf(field: SchemaField): (typeof FIELD_KINDS)[number] {
  if (!isNumericField(field)) return 'label'
  return field.type === 'boolean' ? 'boolean' : 'number'
}
