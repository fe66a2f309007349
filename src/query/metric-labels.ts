import { attributeAliases } from '../domain/attribute-aliases.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { defined } from '../lib/defined.ts'
import { type Attributes, attributeText, attributeTexts, type Span } from '../lib/otlp/span.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'

/** One property of the output of one result. */
export interface Measurement {
  readonly evaluation: StoredEvaluation
  readonly metricName: string
  readonly value: number | boolean | string
}

/** A field that a condition may name besides labels and attributes of the span. */
export const METRIC_COLUMNS = [
  'metric_name',
  'organization_id',
  'numeric_value',
  'bool_value',
  'enum_value',
  'event_time',
] as const

/** Every label that a point may have. */
export const LABEL_NAMES = [
  'agent_name',
  'entity_type',
  'env_project_id',
  'environment',
  'evaluator_name',
  'insert_time',
  'metric_source',
  'metric_type',
  'model',
  'org_id',
  'run_id',
  'service_name',
  'span_id',
  'trace_id',
  'unit',
  'vendor',
] as const

/** Labels that only the span itself can tell. */
const SPAN_LABELS: ReadonlySet<string> = new Set(['agent_name', 'model', 'service_name', 'vendor'])
const LABEL_PREFIX = 'labels.'
const ATTRIBUTE_PREFIX = 'attributes.'

/** The labels of a point that come from a result and its setup. */
export function labelsOf(
  { evaluation, metricName, value }: Measurement,
  tenant: ProjectTenant,
): Record<string, string> {
  return {
    entity_type: evaluation.scope,
    env_project_id: evaluation.envProjectId,
    environment: evaluation.environment,
    evaluator_name: evaluation.slug,
    insert_time: new Date(evaluation.createdAtMs).toISOString(),
    metric_source: evaluation.slug.replaceAll('-', '_'),
    metric_type: kindOf(value),
    org_id: tenant.orgId,
    run_id: evaluation.number.toString(16).padStart(16, '0'),
    ...defined({ span_id: evaluation.spanId }),
    trace_id: evaluation.traceId,
    unit: unitOf(metricName, value),
  }
}

/** The labels of a point that only the span can give; those that it lacks are left out. */
export function spanLabels(span: Span | undefined): Record<string, string> {
  if (!span) return {}
  const labels = {
    agent_name: firstText(span.attributes, ['gen_ai.agent.name']),
    model: spanFields(span).get('model'),
    service_name: firstText(span.resource, ['service.name']),
    vendor: firstText(span.attributes, attributeAliases('gen_ai.system')),
  }
  return Object.fromEntries(Object.entries(labels).filter(([, text]) => text !== undefined)) as Record<
    string,
    string
  >
}

function firstText(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name)
    if (value !== undefined && value !== null && value !== '') return attributeText(value)
  }
  return undefined
}

function kindOf(value: Measurement['value']): 'numeric' | 'bool' | 'enum' {
  if (typeof value === 'number') return 'numeric'
  return typeof value === 'boolean' ? 'bool' : 'enum'
}

/** `word_count` counts words; otherwise the last word of the name says what it is, or the kind of value. */
function unitOf(metricName: string, value: Measurement['value']): string {
  if (typeof value !== 'number') return kindOf(value)
  const [, noun] = /^(.+)_count$/.exec(metricName) ?? []
  if (noun !== undefined) return `${noun}s`
  return /(?:^|_)(score|ratio)$/.exec(metricName)?.[1] ?? 'numeric'
}

/** Whether a condition on this field needs the span itself. */
export function isAboutSpan(field: string): boolean {
  return field.startsWith(ATTRIBUTE_PREFIX) || SPAN_LABELS.has(labelName(field))
}

function labelName(field: string): string {
  return field.startsWith(LABEL_PREFIX) ? field.slice(LABEL_PREFIX.length) : field
}

/** The texts of one field of a point, as a condition sees them. */
export function conditionTexts(
  field: string,
  measurement: Measurement,
  tenant: ProjectTenant,
  span: Span | undefined,
): readonly string[] {
  if (field.startsWith(ATTRIBUTE_PREFIX)) {
    const names = attributeAliases(field.slice(ATTRIBUTE_PREFIX.length))
    return names.flatMap((name) => attributeTexts(span?.attributes.get(name)))
  }
  const text =
    columnText(field, measurement, tenant) ?? labelText(labelName(field), measurement, tenant, span)
  return text === undefined ? [] : [text]
}

function columnText(field: string, { evaluation, metricName, value }: Measurement, tenant: ProjectTenant) {
  if (field === 'metric_name') return metricName
  if (field === 'organization_id') return tenant.orgId
  if (field === 'event_time') return String(evaluation.createdAtMs)
  return field === `${kindOf(value)}_value` ? String(value) : undefined
}

function labelText(name: string, measurement: Measurement, tenant: ProjectTenant, span: Span | undefined) {
  return SPAN_LABELS.has(name) ? spanLabels(span)[name] : labelsOf(measurement, tenant)[name]
}
