import * as z from 'zod'
import { PAIRS_MIN } from '../../../domain/agreement.ts'
import { notFound } from '../../../domain/errors.ts'
import { defined } from '../../../lib/defined.ts'
import { compareVerdicts, type PropertyAgreement } from '../../../query/judge-agreement.ts'
import { defineRoute } from '../../route.ts'
import { monitorParams } from '../../wire/path-params.ts'

/** Most human annotations that are looked at. */
const ANNOTATIONS_MAX = 10_000

export const getMonitorAgreementRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors/{id}/agreement',
  operationId: 'getMonitorAgreement',
  tag: 'Scores',
  summary: 'How far a monitor and people agree',
  description:
    'Compares what the current version of a monitor said with human annotations (`source` `human`) that name its ' +
    'evaluator: on the same span, trace or session, or on a trace of which one span was evaluated. An annotation is held against the field of the ' +
    `output that has its name, or else the first of its kind. Of several annotations on one unit the newest counts; at most ` +
    `${ANNOTATIONS_MAX} annotations are looked at. Below ${PAIRS_MIN} pairs nothing is computed.`,
  access: 'read',
  params: monitorParams,
  success: {
    status: 200,
    description: 'The agreement, for each field of the output that people have annotated.',
    schema: z
      .object({
        monitor_id: z.string(),
        evaluator_type: z.string(),
        version: z.int().describe('Of the monitor.'),
        properties: z.array(
          z.object({
            property: z.string().describe('A field of the output.'),
            kind: z.enum(['boolean', 'number', 'label']),
            pairs: z.int(),
            agreement: z.number().optional().describe('Share of pairs that are equal; not for numbers.'),
            kappa: z
              .number()
              .optional()
              .describe("Cohen's kappa: 0 is chance, 1 is perfect; absent where both always said the same."),
            correlation: z.number().optional().describe("For numbers: Pearson's correlation."),
            mean_difference: z
              .number()
              .optional()
              .describe('For numbers: how far they are apart on average.'),
            unavailable: z.string().optional().describe('Why nothing was computed.'),
          }),
        ),
        incomparable: z.int().describe('Pairs of a score and a verdict that are of different kinds.'),
      })
      .meta({ id: 'MonitorAgreement' }),
  },
  errors: { 404: 'The project has no such monitor.' },
  async handle({ principal, params }, { storage }) {
    const monitor = await storage.getMonitor(principal, params.id)
    if (!monitor) throw notFound('monitor not found')
    const { properties, incomparable } = compareVerdicts(
      await storage.listVerdictPairs(principal, monitor.id, ANNOTATIONS_MAX),
    )
    return {
      monitor_id: monitor.id,
      evaluator_type: monitor.current.slug,
      version: monitor.current.version,
      properties: properties.map(toWire),
      incomparable,
    }
  },
})

function toWire({ property, kind, pairs, agreement }: PropertyAgreement) {
  if (!agreement) {
    return {
      property,
      kind,
      pairs,
      unavailable: `at least ${PAIRS_MIN} pairs are needed, there are ${pairs}`,
    }
  }
  const { share, kappa, correlation, meanDifference } = agreement
  return {
    ...{ property, kind, pairs },
    ...defined({ agreement: share, kappa, correlation, mean_difference: meanDifference }),
  }
}
