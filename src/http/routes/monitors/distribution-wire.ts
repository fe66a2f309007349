import * as z from 'zod'
import { FIELD_KINDS, type MonitorField } from '../../../control/monitor-field.ts'
import { aggregate, valueCount } from '../../../domain/series.ts'
import { histogramOf } from '../../../lib/histogram.ts'
import { ValueSketch } from '../../../lib/value-sketch.ts'
import type { Distribution } from '../../../ports/result-storage.ts'
import { timestamp } from '../../wire/timestamp.ts'

/** How the values of one output property of one version of a monitor are spread. */
export const distributionOutput = z
  .object({
    monitor_id: z.string(),
    version: z.int().describe('Of the monitor; values of two versions are never merged.'),
    property: z.string(),
    kind: z.enum(FIELD_KINDS),
    from: timestamp,
    to: timestamp,
    bins: z
      .array(z.object({ from: z.number(), to: z.number(), count: z.int() }))
      .describe('Of numbers: bins of equal width, also those without values; `to` is only in the last.'),
    labels: z
      .array(z.object({ label: z.string(), count: z.int() }))
      .describe(
        'Of texts: the most frequent first, `(other)` for the rest. Of booleans: `false` and `true`.',
      ),
    count: z.int().describe('How many values there are.'),
    mean: z.number().nullable().describe('Of a boolean the share that is true; null without numbers.'),
    p50: z.number().nullable().describe('The median, within 1 %; null for booleans and texts.'),
    p95: z.number().nullable(),
  })
  .meta({ id: 'Distribution' })

type Told = Pick<
  z.output<typeof distributionOutput>,
  'kind' | 'bins' | 'labels' | 'count' | 'mean' | 'p50' | 'p95'
>

/** The distribution of values, in the form of the wire. */
export function toWireDistribution(field: MonitorField, values: Distribution): Told {
  const kind = field.kind ?? (values.labels ? 'label' : 'number')
  const empty: Told = {
    ...{ kind, bins: [], labels: [], count: valueCount(values) },
    ...{ mean: aggregate('average', values) ?? null, p50: null, p95: null },
  }
  if (kind === 'label') return { ...empty, labels: toLabels(values.labels) }
  if (kind === 'boolean') return { ...empty, labels: toBooleans(values) }
  const { min, max, sketch: bytes } = values
  if (min === undefined || max === undefined || !bytes) return empty
  const sketch = ValueSketch.decode(bytes)
  const quantile = (share: number) => Math.min(Math.max(sketch.quantile(share) ?? min, min), max)
  return {
    ...empty,
    bins: histogramOf(sketch.values(), { min, max, isWhole: field.isWhole }),
    p50: quantile(0.5),
    p95: quantile(0.95),
  }
}

function toLabels(labels: Distribution['labels'] = {}): Told['labels'] {
  return Object.entries(labels)
    .map(([label, count]) => ({ label, count }))
    .sort((left, right) => right.count - left.count || (left.label < right.label ? -1 : 1))
}

function toBooleans({ count, sum = 0 }: Distribution): Told['labels'] {
  return [
    { label: 'false', count: count - sum },
    { label: 'true', count: sum },
  ]
}
