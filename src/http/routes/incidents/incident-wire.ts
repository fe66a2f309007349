import * as z from 'zod'
import {
  CHANGE_PROPERTIES,
  INCIDENT_EVENTS,
  INCIDENT_MONITOR_STATES,
  INCIDENT_STATES,
  type Incident,
  type IncidentEvent,
} from '../../../domain/incidents/incident.ts'
import { passRate } from '../../../domain/incidents/rate-change.ts'
import { defined } from '../../../lib/defined.ts'
import type { IncidentView } from '../../../query/incidents/show-incident.ts'
import { previewField } from '../../wire/preview-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { evaluationOutput, toWireEvaluation } from '../evaluations/evaluation-wire.ts'

const judged = z.object({ pass: z.int(), fail: z.int(), pass_rate: z.number().nullable() })

const incidentMonitor = z
  .object({
    monitor_id: z.string(),
    evaluator_type: z.string().optional().describe('Absent once the monitor is gone.'),
    external_id: z.string().optional().describe('Of the setup.'),
    version: z.int().describe('Of the monitor; only units of one version are compared.'),
    state: z.enum(INCIDENT_MONITOR_STATES),
    onset_at: timestamp,
    before: judged.describe('Units of the week before the onset.'),
    after: judged.describe('Units since the onset.'),
    false_chance: z
      .number()
      .describe('The chance that a stable project of this size has such an incident in a day.'),
    closed_at: timestamp.optional(),
  })
  .meta({ id: 'IncidentMonitor' })

const incidentFields = {
  id: z.string(),
  application: z.string().nullable().describe('Null for units that name no application.'),
  state: z.enum(INCIDENT_STATES),
  onset_at: timestamp.describe('When the pass rate fell.'),
  opened_at: timestamp.describe('When that was noticed.'),
  updated_at: timestamp,
  closed_at: timestamp.optional(),
  monitors: z.array(incidentMonitor).describe('Those that fell, in the order of their onsets.'),
  changes: z.object({
    values: z
      .array(
        z.object({
          property: z.enum(CHANGE_PROPERTIES),
          value: z.string().describe('Of `system_prompt` the beginning of its SHA-256.'),
          share_before: z.number(),
          share_after: z.number(),
        }),
      )
      .describe('Values whose share of the calls changed clearly at the onset, the largest change first.'),
    deployments: z
      .array(z.object({ version: z.string(), environment: z.string(), first_seen_at: timestamp }))
      .describe('Versions of the application that were first seen around the onset.'),
    sampled_before: z.int(),
    sampled_after: z.int(),
  }),
}

/** An incident in a list. */
export const incidentOutput = z.object(incidentFields).meta({ id: 'Incident' })

/** An incident with its course, its examples and its chart. */
export const incidentDetailOutput = z
  .object({
    ...incidentFields,
    events: z.array(
      z.object({
        kind: z.enum(INCIDENT_EVENTS),
        at: timestamp,
        monitor_id: z.string().optional(),
        actor: z.string().optional().describe('The person who did it; absent where the service did.'),
        reason: z.string().optional(),
      }),
    ),
    examples: z
      .array(z.object({ ...evaluationOutput.shape, ...previewField }))
      .describe('Failed evaluations since the onset, the newest first, as far as they are still kept.'),
    points: z
      .array(z.object({ at: timestamp, ...judged.shape }))
      .describe('The pass rate of its monitors together, hour by hour around the onset.'),
  })
  .meta({ id: 'IncidentDetail' })

/** An incident in the form of the wire. */
export function toWireIncident(incident: Incident): z.output<typeof incidentOutput> {
  const { changes, closedAtMs } = incident
  return {
    id: incident.id,
    application: incident.application ?? null,
    state: incident.state,
    onset_at: toTimestamp(incident.onsetMs),
    opened_at: toTimestamp(incident.openedAtMs),
    updated_at: toTimestamp(incident.updatedAtMs),
    ...(closedAtMs === undefined ? {} : { closed_at: toTimestamp(closedAtMs) }),
    monitors: incident.monitors.map((monitor) => ({
      monitor_id: monitor.monitorId,
      ...defined({ evaluator_type: monitor.slug, external_id: monitor.externalId }),
      version: monitor.version,
      state: monitor.state,
      onset_at: toTimestamp(monitor.onsetMs),
      before: toJudged(monitor.before),
      after: toJudged(monitor.after),
      false_chance: monitor.falseChance,
      ...(monitor.closedAtMs === undefined ? {} : { closed_at: toTimestamp(monitor.closedAtMs) }),
    })),
    changes: {
      values: changes.values.map(({ property, value, shareBefore, shareAfter }) => ({
        ...{ property, value, share_before: shareBefore, share_after: shareAfter },
      })),
      deployments: changes.deployments.map(({ version, environment, firstSeenMs }) => ({
        ...{ version, environment, first_seen_at: toTimestamp(firstSeenMs) },
      })),
      sampled_before: changes.sampledBefore,
      sampled_after: changes.sampledAfter,
    },
  }
}

/** An incident with everything about it. */
export function toWireIncidentDetail(view: IncidentView): z.output<typeof incidentDetailOutput> {
  const { incident, examples, points } = view
  return {
    ...toWireIncident(incident),
    events: incident.events.map(toWireEvent),
    examples: examples.map(({ evaluation, preview }) => ({
      ...toWireEvaluation(evaluation),
      preview: { ...preview },
    })),
    points: points.map((point) => ({ at: toTimestamp(point.startMs), ...toJudged(point) })),
  }
}

function toWireEvent({ kind, atMs, monitorId, actor, reason }: IncidentEvent) {
  return { kind, at: toTimestamp(atMs), ...defined({ monitor_id: monitorId, actor, reason }) }
}

function toJudged({ pass, fail }: { readonly pass: number; readonly fail: number }) {
  return { pass, fail, pass_rate: passRate({ pass, fail }) ?? null }
}
