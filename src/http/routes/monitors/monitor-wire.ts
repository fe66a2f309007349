import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { EVALUATION_SCOPES } from '../../../domain/evaluator.ts'
import { defined } from '../../../lib/defined.ts'
import type { DatedVersion, ErrorCount, StoredMonitor } from '../../../ports/result-storage.ts'
import { mappingOutput, toWireMapping } from '../../wire/mapping-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toWireRule, verdictRuleOutput } from '../../wire/verdict-wire.ts'

/** Whether a monitor evaluates what arrives. */
export const MONITOR_STATUSES = ['active', 'stopped'] as const

const versionFields = {
  version: z.int().describe('1 for the first. Scores of two versions are never merged.'),
  evaluator_version: z.int(),
  scope: z.enum(EVALUATION_SCOPES),
  mapping: z.record(z.string(), mappingOutput).describe('Where each input comes from.'),
  config: z.record(z.string(), z.unknown()),
  sampling_rate: z.number(),
  judge: z
    .string()
    .optional()
    .describe('Who judges: `provider/model`, or `embedded`; absent where no judge is needed.'),
}

const monitorVersion = z.object({ ...versionFields, created_at: timestamp }).meta({ id: 'MonitorVersion' })

const errorCount = z
  .object({
    status: z.enum(EVALUATION_STATUSES),
    message: z.string(),
    count: z.int(),
    last_at: timestamp,
  })
  .meta({ id: 'ErrorCount' })

/** Counts of units by what came of them. */
export const statusCounts = z
  .partialRecord(z.enum(EVALUATION_STATUSES), z.int())
  .describe('Units by what came of them; only statuses that occurred.')

/** A monitor: one evaluator of one setup, bound to spans. */
export const monitorOutput = z
  .object({
    id: z.string().describe('The `binding_id` of the entry in its setup.'),
    external_id: z.string().describe('Of the setup, also when it has been deleted since.'),
    env_project_id: z.string(),
    evaluator_type: z.string().describe('The evaluator slug.'),
    evaluator_id: z.string(),
    status: z.enum(MONITOR_STATUSES).describe('`stopped` when its setup was changed or deleted.'),
    ...versionFields,
    versions: z.array(monitorVersion).describe('The newest first; at most 100.'),
    counts: statusCounts.describe('Units of all versions by what came of them; only statuses that occurred.'),
    last_run_at: timestamp
      .optional()
      .describe('When its newest result was recorded; absent before the first.'),
    errors: z.array(errorCount).describe('The most frequent messages among its newest results.'),
    verdict: verdictRuleOutput
      .optional()
      .describe(
        'How its scores are judged now; absent shortly after an upgrade or before the first binding.',
      ),
    verdict_progress: z
      .number()
      .optional()
      .describe(
        'How far stored results have been judged by a rule that was changed, 0 to 1; absent when all are.',
      ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Monitor' })

/** A monitor in the form of the wire. */
export function toWireMonitor(monitor: StoredMonitor): z.output<typeof monitorOutput> {
  const { current, lastRunAtMs } = monitor
  return {
    id: monitor.id,
    external_id: monitor.externalId,
    env_project_id: monitor.envProjectId,
    evaluator_type: current.slug,
    evaluator_id: current.evaluatorId,
    status: monitor.isActive ? 'active' : 'stopped',
    ...toWirePlan(current),
    versions: monitor.versions.map((version) => ({
      ...toWirePlan(version),
      created_at: toTimestamp(version.createdAtMs),
    })),
    counts: { ...monitor.counts },
    ...(lastRunAtMs === undefined ? {} : { last_run_at: toTimestamp(lastRunAtMs) }),
    errors: monitor.errors.map(toWireError),
    ...(monitor.verdictRule && { verdict: toWireRule(monitor.verdictRule) }),
    ...defined({ verdict_progress: monitor.verdictProgress }),
    created_at: toTimestamp(monitor.createdAtMs),
    updated_at: toTimestamp(monitor.updatedAtMs),
  }
}

function toWirePlan(version: DatedVersion) {
  return {
    version: version.version,
    evaluator_version: version.evaluatorVersion,
    scope: version.scope,
    mapping: toWireMapping(version.mapping),
    config: { ...version.config },
    sampling_rate: version.samplingRate,
    ...defined({ judge: version.judge }),
  }
}

function toWireError({ status, message, count, lastAtMs }: ErrorCount): z.output<typeof errorCount> {
  return { status, message, count, last_at: toTimestamp(lastAtMs) }
}
