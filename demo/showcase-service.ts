import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createApp, createAppLogger } from '../src/app.ts'
import { startFakeModel } from '../src/cli/fake-judge/fake-model-server.ts'
import { readConfig } from '../src/config.ts'
import { seededRandom } from './model-server.ts'
import { judgeByWords } from './showcase-judge.ts'
import { BRAND_VOICE, SHOWCASE_KEYS, SHOWCASE_SETUPS } from './showcase-setups.ts'
import {
  attributeList,
  type Moment,
  meetingSummary,
  researchRun,
  type ServiceSpans,
  sqlAnswer,
  supportSession,
} from './showcase-spans.ts'

/** How a showcase is started. */
export interface ShowcaseOptions {
  /** 0: any free one. */
  readonly port: number
  readonly dataDir: string
  /** About how many traces the week has. */
  readonly traces: number
  readonly say?: (line: string) => void
  /** Instead of the dashboard that comes with the service. */
  readonly dashboardDir?: string
  /** Settings of the service, besides its own. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running service with a week of data. */
export interface Showcase {
  readonly url: string
  /** A key with every permission. */
  readonly key: string
  /** The key of the operator, whose own project is empty. */
  readonly operatorKey: string
  close(): Promise<void>
}

type Call = <Answer>(method: string, route: string, body?: unknown) => Promise<Answer>

/** The state kept beside the data, so that a showcase can be stopped and go on later. */
interface State {
  readonly key: string
  /** Part of the address that is stored with the provider's key. */
  readonly judgePort: number
}

const OPERATOR_KEY = 'showcase-operator-key-0001'
/** Protects nothing but the made-up key of the showcase. */
const SECRETS_KEY = Buffer.alloc(32, 'showcase').toString('base64')
const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/** When the deploy that made the support chat worse happened, before now. */
const DEPLOY_AGO_MS = 15 * HOUR_MS
/** A session of the support chat has several traces, everything else one. */
const TRACES_PER_MOMENT = 1.2
/** Above 1 there is more of everything towards the end of the week. */
const GROWTH = 1.5
const SPANS_PER_REQUEST = 400
const LOOK_MS = 200

/** Starts a service whose judge is the fake model, and fills it unless it is filled. Everything goes over HTTP, as in real life. */
export async function startShowcase({
  port,
  dataDir,
  traces,
  say = () => {},
  dashboardDir,
  settings,
}: ShowcaseOptions): Promise<Showcase> {
  const stateFile = path.join(dataDir, 'showcase.json')
  const before = existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State) : undefined
  const judge = await startFakeModel({
    answer: judgeByWords,
    ...(before === undefined ? {} : { port: before.judgePort }),
  })
  const { config } = readConfig({
    PORT: String(port),
    ASSAY_OTLP_GRPC_PORT: '0',
    ASSAY_DATA_DIR: dataDir,
    ASSAY_API_KEY: OPERATOR_KEY,
    ASSAY_LOG_LEVEL: 'warn',
    ASSAY_JUDGE_MODEL: 'openai/gpt-4o-mini',
    OPENAI_BASE_URL: judge.url,
    OPENAI_API_KEY: 'sk-showcase',
    ASSAY_PROVIDER_BASE_URLS: judge.url,
    ASSAY_SECRETS_KEY: SECRETS_KEY,
    ASSAY_TRACE_QUIET_MS: '500',
    ASSAY_JUDGE_CONCURRENCY: '16',
    ...settings,
  })
  const app = await createApp(
    config,
    createAppLogger(config),
    dashboardDir === undefined ? {} : { dashboardDir },
  )
  const url = await app.listen()
  const close = async () => {
    await app.close()
    await judge.close()
  }
  try {
    const key = before?.key ?? (await foundOrganization(callerOf(url, OPERATOR_KEY)))
    if (before === undefined) {
      await fill(callerOf(url, key), judge.url, traces, say)
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(
        stateFile,
        JSON.stringify({ key, judgePort: Number(new URL(judge.url).port) } satisfies State),
      )
    }
    return { url, key, operatorKey: OPERATOR_KEY, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function foundOrganization(call: Call): Promise<string> {
  const made = await call<{ environments: { api_key: string }[] }>('POST', '/v2/organizations', {
    org_name: 'Nordlicht Bikes',
    envs: ['production', 'staging'],
  })
  return made.environments[0]?.api_key as string
}

async function fill(
  call: Call,
  judgeUrl: string,
  traces: number,
  say: (line: string) => void,
): Promise<void> {
  const startMs = performance.now()
  const tell = (line: string) =>
    say(`${((performance.now() - startMs) / 1_000).toFixed(1).padStart(5)} s  ${line}`)
  await call('PUT', '/v2/provider-keys/openai', {
    api_key: 'sk-showcase-key-of-the-organization-9f3k',
    base_url: judgeUrl,
  })
  await call('POST', '/v2/evaluators', BRAND_VOICE)
  await call('POST', '/v2/auto-monitor-setups/bulk', { setups: SHOWCASE_SETUPS })
  for (const key of SHOWCASE_KEYS) await call('POST', '/v2/api-keys', key)
  await call('PUT', '/v2/budgets', { day_usd: 2, month_usd: 40 })
  await call('PUT', '/v2/budgets', { external_id: 'support-answer-quality', day_usd: 0.5 })
  tell(`${SHOWCASE_SETUPS.length} setups, a judge, keys and budgets`)
  tell(`${await sendWeek(call, traces)} spans of a week sent`)
  await untilScored(call)
  tell('everything is scored')
  await givePeoplesOpinions(call)
  tell('people have said what they think')
}

/** Sends the traces of a week, the oldest first, more by day than by night. */
async function sendWeek(call: Call, traces: number): Promise<number> {
  const nowMs = Date.now()
  const random = seededRandom(11)
  const times = Array.from({ length: Math.round(traces / TRACES_PER_MOMENT) }, () =>
    momentOfDay(nowMs, random),
  ).sort((left, right) => left - right)
  let waiting: ServiceSpans[] = []
  let [count, sent] = [0, 0]
  for (const atMs of times) {
    const chance = random()
    const part = play({ atMs, isAfterDeploy: atMs > nowMs - DEPLOY_AGO_MS, random }, chance)
    waiting.push(part)
    count += part.spans.length
    if (count - sent < SPANS_PER_REQUEST) continue
    await send(call, waiting)
    sent = count
    waiting = []
  }
  await send(call, waiting)
  return count
}

function play(moment: Moment, chance: number): ServiceSpans {
  if (chance < 0.3) return supportSession(moment)
  if (chance < 0.5) return researchRun(moment)
  if (chance < 0.8) return meetingSummary(moment)
  return sqlAnswer(moment)
}

/** A time of the last week; days are busier than nights, and this day is busier than the last. */
function momentOfDay(nowMs: number, random: () => number): number {
  for (;;) {
    const atMs = nowMs - 120_000 - random() ** GROWTH * (WEEK_MS - 240_000)
    const at = new Date(atMs)
    const hour = at.getUTCHours() + at.getUTCMinutes() / 60
    const ofDay = 0.12 + 0.88 * Math.exp(-(((hour - 13.5) / 4.2) ** 2))
    if (random() < ofDay) return atMs
  }
}

async function send(call: Call, parts: readonly ServiceSpans[]): Promise<void> {
  if (parts.length === 0) return
  await call('POST', '/v1/traces', {
    resourceSpans: parts.map(({ resource, spans }) => ({
      resource: { attributes: attributeList(resource) },
      scopeSpans: [{ scope: { name: 'showcase' }, spans }],
    })),
  })
}

/** Waits until nothing is on its way; the setup that waits for spans goes on waiting. */
async function untilScored(call: Call): Promise<void> {
  let quietLooks = 0
  while (quietLooks < 5) {
    const { lag_in_spans: lag } = await call<{ lag_in_spans: number }>('GET', '/v2/monitoring/status')
    const setups = await call<{ status: string }[]>('GET', '/v2/auto-monitor-setups')
    const isSettled = setups.every(({ status }) => !['pending', 'in_progress'].includes(status))
    quietLooks = lag === 0 && isSettled ? quietLooks + 1 : 0
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

interface Evaluation {
  readonly trace_id: string
  readonly span_id?: string
  readonly status: string
  readonly output?: Readonly<Record<string, unknown>>
}

/** Some people agree with the judge, some do not; and customers press a button. */
async function givePeoplesOpinions(call: Call): Promise<void> {
  const random = seededRandom(5)
  const { evaluations } = await call<{ evaluations: Evaluation[] }>(
    'GET',
    '/v2/evaluations?evaluator_type=faithfulness&status=scored&limit=40',
  )
  for (const { trace_id, span_id, output } of evaluations) {
    const value = random() < 0.9 ? output?.['is_faithful'] : output?.['is_faithful'] !== true
    const comment = value === true ? undefined : 'Not in the help centre.'
    const about = {
      trace_id,
      span_id,
      name: 'is_faithful',
      value,
      comment,
      source: 'human',
      actor: random() < 0.5 ? 'mara' : 'jonas',
      evaluator: 'faithfulness',
    }
    await call('POST', '/v2/scores', about)
  }
  const { traces } = await call<{ traces: { trace_id: string }[] }>(
    'GET',
    '/v2/traces?service=support-chat&limit=25',
  )
  for (const { trace_id } of traces) {
    await call('POST', '/v2/scores', { trace_id, name: 'thumbs_up', value: random() < 0.6, source: 'human' })
  }
}

function callerOf(url: string, key: string): Call {
  return async (method, route, body) => {
    const response = await fetch(url + route, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok)
      throw new Error(`${method} ${route} was answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as never
  }
}
