import type {
  Incident,
  IncidentEvent,
  IncidentExample,
  IncidentMonitor,
} from '../../domain/incidents/incident.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  IncidentDecision,
  IncidentDetail,
  IncidentFilter,
  IncidentUpdate,
  NewIncident,
} from '../../ports/incident-storage.ts'
import { fromHex } from './evaluation-rows.ts'
import {
  type IncidentEventRow,
  type IncidentExampleRow,
  type IncidentMonitorRow,
  type IncidentRow,
  toEvent,
  toExample,
  toIncident,
} from './incident-rows.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'
import { numberPlaces, Where } from './where.ts'

/** Events of one incident that are told, the newest of them. */
const EVENTS_MAX = 200

export async function listIncidents(
  db: Sql,
  tenant: ProjectTenant,
  { state, application, openSinceMs }: IncidentFilter,
  { beforeNumber, limit }: { readonly beforeNumber?: number; readonly limit: number },
): Promise<Incident[]> {
  const where = new Where()
    .and('project_number = ?', (await projectOf(db, tenant)).number)
    .and('state = ?', state)
    .and('application = ?', application)
    .and("(state = 'open' OR closed_at_ms >= ?)", openSinceMs)
    .and('number < ?', beforeNumber)
  const rows = await db.all<IncidentRow>(
    numberPlaces(`SELECT * FROM incidents WHERE ${where.sql} ORDER BY number DESC LIMIT ?`),
    ...where.values,
    limit,
  )
  return withMonitors(db, rows)
}

async function withMonitors(db: Sql, rows: readonly IncidentRow[]): Promise<Incident[]> {
  const monitors = await db.all<IncidentMonitorRow>(
    `SELECT i.*, m.slug, s.external_id FROM incident_monitors i
     LEFT JOIN monitors m ON m.id = i.monitor_id LEFT JOIN setups s ON s.id = m.setup_id
     WHERE ${db.dialect.oneOf('i.incident_number', '$1')} ORDER BY i.incident_number, i.onset_ms, i.monitor_id`,
    rows.map(({ number }) => number),
  )
  const byIncident = Map.groupBy(monitors, (monitor) => monitor.incident_number)
  return rows.map((row) => toIncident(row, byIncident.get(row.number) ?? []))
}

export async function getIncident(
  db: Sql,
  tenant: ProjectTenant,
  id: string,
): Promise<IncidentDetail | undefined> {
  const row = await findRow(db, (await projectOf(db, tenant)).number, id)
  const [incident] = row ? await withMonitors(db, [row]) : []
  if (!incident) return undefined
  const events = await db.all<IncidentEventRow>(
    'SELECT * FROM incident_events WHERE incident_number = $1 ORDER BY number DESC LIMIT $2',
    incident.number,
    EVENTS_MAX,
  )
  const examples = await db.all<IncidentExampleRow>(
    'SELECT * FROM incident_examples WHERE incident_number = $1 ORDER BY evaluation_number DESC',
    incident.number,
  )
  return { ...incident, events: events.toReversed().map(toEvent), examples: examples.map(toExample) }
}

function findRow(db: Sql, project: number, id: string): Promise<IncidentRow | undefined> {
  return db.get<IncidentRow>('SELECT * FROM incidents WHERE project_number = $1 AND id = $2', project, id)
}

export async function decideIncident(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
  { state, actor, reason, atMs }: IncidentDecision,
): Promise<IncidentDetail | undefined> {
  // The service may be closing the incident at the same time; of both, the second finds what the first has left.
  const { number: project } = await tx.lock.project(tenant)
  const row = await findRow(tx, project, id)
  if (row && row.state !== state) {
    await writeState(tx, row, state, atMs)
    const kind = state === 'open' ? 'reopened' : 'dismissed'
    const event = { kind, atMs, ...(actor ? { actor } : {}), ...(reason ? { reason } : {}) } as const
    await addEvents(tx, project, row.number, [event])
    if (state === 'open')
      await tx.run(
        "UPDATE incident_monitors SET state = 'fallen', closed_at_ms = NULL WHERE incident_number = $1 AND state = 'recovered'",
        row.number,
      )
  }
  return getIncident(tx, tenant, id)
}

export async function openIncident(tx: Sql, tenant: ProjectTenant, incident: NewIncident): Promise<boolean> {
  // Two processes that have found the same fall do not open two incidents.
  const { number: project } = await tx.lock.project(tenant)
  const application = incident.application ?? null
  const open = await tx.all<{ monitor_id: string; application: string | null }>(
    `SELECT m.monitor_id, i.application FROM incidents i JOIN incident_monitors m ON m.incident_number = i.number
     WHERE i.project_number = $1 AND i.state = 'open'`,
    project,
  )
  const isKnown = ({ monitorId }: IncidentMonitor) =>
    open.some((row) => row.monitor_id === monitorId && row.application === application)
  if (incident.monitors.some(isKnown)) return false
  const row = await tx.get<{ number: number }>(
    `INSERT INTO incidents (id, project_number, application, state, onset_ms, changes, opened_at_ms, updated_at_ms)
     VALUES ($1, $2, $3, 'open', $4, $5, $6, $6) RETURNING number`,
    incident.id,
    project,
    application,
    incident.onsetMs,
    JSON.stringify(incident.changes),
    incident.atMs,
  )
  const number = row?.number as number
  await putMonitors(tx, project, number, incident.monitors)
  await addEvents(tx, project, number, [{ kind: 'opened', atMs: incident.atMs }])
  await putExamples(tx, project, number, incident.examples)
  return true
}

export async function updateIncident(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
  { expected, state, monitors, events, changes, examples, atMs }: IncidentUpdate,
): Promise<boolean> {
  const { number: project } = await tx.lock.project(tenant)
  const row = await findRow(tx, project, id)
  if (row?.state !== expected) return false
  await putMonitors(tx, project, row.number, monitors)
  await writeState(tx, row, state, atMs)
  if (changes)
    await tx.run('UPDATE incidents SET changes = $2 WHERE number = $1', row.number, JSON.stringify(changes))
  if (examples) await putExamples(tx, project, row.number, examples)
  await addEvents(tx, project, row.number, events)
  return true
}

/** Moves an incident to a state, and its onset to that of the monitor that fell first. */
async function writeState(tx: Sql, row: IncidentRow, state: IncidentRow['state'], atMs: number) {
  await tx.run(
    `UPDATE incidents SET state = $2, updated_at_ms = $3, closed_at_ms = $4,
       onset_ms = (SELECT min(m.onset_ms) FROM incident_monitors m WHERE m.incident_number = incidents.number)
     WHERE number = $1`,
    row.number,
    state,
    atMs,
    state === 'open' ? null : state === row.state ? row.closed_at_ms : atMs,
  )
}

async function putMonitors(tx: Sql, project: number, incident: number, monitors: readonly IncidentMonitor[]) {
  for (const { monitorId, version, ruleHash, onsetMs, before, after, ...rest } of monitors)
    await tx.run(
      `INSERT INTO incident_monitors (incident_number, monitor_id, version, project_number, rule_hash, onset_ms,
         before_pass, before_fail, after_pass, after_fail, false_chance, state, closed_at_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (incident_number, monitor_id, version) DO UPDATE SET rule_hash = excluded.rule_hash,
         onset_ms = excluded.onset_ms, before_pass = excluded.before_pass, before_fail = excluded.before_fail,
         after_pass = excluded.after_pass, after_fail = excluded.after_fail, false_chance = excluded.false_chance,
         state = excluded.state, closed_at_ms = excluded.closed_at_ms`,
      ...[incident, monitorId, version, project, ruleHash, onsetMs],
      ...[before.pass, before.fail, after.pass, after.fail, rest.falseChance, rest.state],
      rest.closedAtMs ?? null,
    )
}

async function addEvents(tx: Sql, project: number, incident: number, events: readonly IncidentEvent[]) {
  for (const { kind, atMs, monitorId, actor, reason } of events)
    await tx.run(
      `INSERT INTO incident_events (incident_number, project_number, kind, at_ms, monitor_id, actor, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      ...[incident, project, kind, atMs, monitorId ?? null, actor ?? null, reason ?? null],
    )
}

/** Replaces the examples, leaving out traces that were deleted after they had been chosen. */
async function putExamples(tx: Sql, project: number, incident: number, examples: readonly IncidentExample[]) {
  await tx.run('DELETE FROM incident_examples WHERE incident_number = $1', incident)
  for (const { evaluation, traceId } of examples)
    await tx.run(
      `INSERT INTO incident_examples (incident_number, evaluation_number, project_number, trace_id)
       SELECT $1, $2, $3, ${tx.dialect.bytes('$4')} WHERE NOT EXISTS (
         SELECT 1 FROM deleted_traces d WHERE d.project_number = $3 AND d.trace_id = ${tx.dialect.bytes('$4')})`,
      ...[incident, evaluation, project],
      fromHex(traceId),
    )
}
