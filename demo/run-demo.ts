// npm run demo [-- --keep]: a service of its own, three applications that talk to a model, an agent, and their scores.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createApp, createAppLogger } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { playAgent } from './agent-app.ts'
import { ChatApp, type Destination } from './chat-app.ts'
import { answerLikeAModel, DEMO_APPS } from './conversations.ts'
import { explainOneSpan, tryAnotherSelector } from './demo-questions.ts'
import { DemoScreen, renderTable } from './demo-screen.ts'
import { CHANGED_SETUP, DEMO_SETUPS } from './demo-setups.ts'
import { startModelServer } from './model-server.ts'

const CONVERSATIONS = 300
const CONVERSATIONS_PER_EXPORT = 10
/** Between two exports of an application, so that a person can watch; real ones wait seconds. */
const EXPORT_PAUSE_MS = 150
const LOOK_MS = 50
const API_KEY = 'demo-key-0123456789abcdef'

interface SetupShown {
  external_id: string
  status: string
  evaluators: { evaluator_type: string; error_message?: string }[]
}

interface MonitorShown {
  id: string
  external_id: string
  evaluator_type: string
  counts: Record<string, number>
}

const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } })
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'assay-demo-'))
const { config } = readConfig({
  PORT: '0',
  ASSAY_OTLP_GRPC_PORT: '0',
  ASSAY_DATA_DIR: dataDir,
  ASSAY_API_KEY: API_KEY,
  ASSAY_LOG_LEVEL: 'warn',
  // Without a provider the embedded judge scores the agent, however good it is at that; and a demo must not wait.
  ASSAY_EMBEDDED_JUDGE: 'always',
  ASSAY_TRACE_QUIET_MS: '300',
})
const startMs = performance.now()
const screen = new DemoScreen()
const service = await createApp(config, createAppLogger(config))
const destination: Destination = { url: await service.listen(), apiKey: API_KEY }
const model = await startModelServer(answerLikeAModel)
try {
  screen.say(`Assay at ${destination.url}, a model at ${model.baseUrl}, ${DEMO_APPS.length} applications\n`)
  await call('POST', '/v2/auto-monitor-setups/bulk', { setups: DEMO_SETUPS })
  await playAgent(destination)
  await watch(playApps())
  const monitors = await untilScored()
  screen.say(`\n${renderTable(await scoreRows(monitors))}\n`)
  for (const line of await failureLines()) screen.say(line)
  for (const line of ['', ...(await explainOneSpan(call, 'support-bot'))]) screen.say(line)
  for (const line of ['', ...(await tryAnotherSelector(call, CHANGED_SETUP))]) screen.say(line)
  screen.say(`\n${seconds()} s from an empty store to the last score`)
  if (values.keep) await untilInterrupted()
} finally {
  await model.close()
  await service.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Lets all applications talk at the same time; the number of conversations that are sent grows meanwhile. */
function playApps(): { sent: () => number; done: Promise<unknown> } {
  let sent = 0
  const perApp = CONVERSATIONS / DEMO_APPS.length
  const play = async (app: ChatApp) => {
    for (let at = 0; at < perApp; at += CONVERSATIONS_PER_EXPORT) {
      for (let next = 0; next < CONVERSATIONS_PER_EXPORT; next++) await app.converse(at + next)
      await app.export(destination)
      sent += CONVERSATIONS_PER_EXPORT
      await pause(EXPORT_PAUSE_MS)
    }
  }
  const done = Promise.all(DEMO_APPS.map((app) => play(new ChatApp(app, model.baseUrl))))
  return { sent: () => sent, done }
}

/** Shows how far applications and setups are until the applications are done and no setup is on its way. */
async function watch({ sent, done }: ReturnType<typeof playApps>): Promise<void> {
  let isDone = false
  const finished = done.then(() => {
    isDone = true
  })
  for (;;) {
    const setups = await call<SetupShown[]>('GET', '/v2/auto-monitor-setups')
    screen.show(
      sent(),
      CONVERSATIONS,
      setups.map(({ external_id: externalId, status }) => ({ externalId, status })),
    )
    const isSettled = setups.every(({ status }) => ['completed', 'partial', 'failed'].includes(status))
    if (isDone && isSettled) return finished
    await Promise.race([pause(LOOK_MS), finished.then(() => pause(LOOK_MS))])
  }
}

async function untilScored(): Promise<MonitorShown[]> {
  for (;;) {
    const { lag_in_spans: lag } = await call<{ lag_in_spans: number }>('GET', '/v2/monitoring/status')
    const { monitors } = await call<{ monitors: MonitorShown[] }>('GET', '/v2/monitors')
    if (lag === 0 && monitors.every(({ counts }) => Object.keys(counts).length > 0)) return monitors
    await pause(LOOK_MS)
  }
}

async function scoreRows(monitors: readonly MonitorShown[]): Promise<string[][]> {
  const rows = [['setup', 'evaluator', 'property', 'average', 'median', 'scored', 'sampled out', 'other']]
  for (const { id, external_id: externalId, evaluator_type: slug, counts } of monitors) {
    const average = await lastPoint(id, 'average')
    const median = await lastPoint(id, 'median')
    const { scored = 0, sampled_out: sampledOut = 0, ...others } = counts
    const other = Object.values(others).reduce((sum, count) => sum + count, 0)
    rows.push([
      externalId,
      slug,
      average.property,
      average.value,
      median.value,
      ...[scored, sampledOut, other].map(String),
    ])
  }
  return rows.slice(0, 1).concat(rows.slice(1).sort((left, right) => left.join().localeCompare(right.join())))
}

async function lastPoint(
  monitorId: string,
  aggregation: string,
): Promise<{ property: string; value: string }> {
  const series = await call<{ property: string; points: { value?: number | null }[] }>(
    'GET',
    `/v2/monitors/${monitorId}/series?aggregation=${aggregation}&bucket=1d`,
  )
  const value = series.points.at(-1)?.value
  return { property: series.property, value: value === undefined || value === null ? '–' : value.toFixed(2) }
}

async function failureLines(): Promise<string[]> {
  const setups = await call<SetupShown[]>('GET', '/v2/auto-monitor-setups')
  return setups.flatMap(({ external_id: externalId, evaluators }) =>
    evaluators.flatMap(({ evaluator_type: slug, error_message: message }) =>
      message === undefined ? [] : [`${externalId}, ${slug}: ${message}`],
    ),
  )
}

async function call<T>(method: string, route: string, body?: unknown): Promise<T> {
  const response = await fetch(destination.url + route, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok)
    throw new Error(`${method} ${route} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

function untilInterrupted(): Promise<void> {
  screen.say(`Still running: curl -H "Authorization: Bearer ${API_KEY}" ${destination.url}/v2/monitors`)
  screen.say('Ctrl-C ends it and removes its data.')
  return new Promise((resolve) => process.once('SIGINT', () => resolve()))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function seconds(): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1)
}
