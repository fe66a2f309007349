import assert from 'node:assert/strict'
import { FIRST_KEY } from '../support/call.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { eventually } from '../support/spans.ts'
import {
  audit,
  EVALUATORS,
  JUDGED_COUNT,
  lagOf,
  monitorEverything,
  newSpan,
  type SentSpan,
  type SpanFindings,
  sendRequest,
} from './crash-clients.ts'

/** The effects of a series of crashes on spans and their scores. */
export interface SpanCrashReport extends SpanFindings {
  readonly rounds: number
  /** Longest time from the start of the service until a score appeared that was waiting for it. */
  readonly slowestResumeMs: number
}

const WRITERS = 4
const SPANS_PER_REQUEST = 20
const ROUND_MS_MIN = 50
const ROUND_MS_MAX = 400

/**
 * Kills the service with SIGKILL at a random moment while clients send spans and monitors score them, again and again
 * on the same store. Clients send their last request again after a crash, as exporters do, and now and then an old one.
 */
export async function runSpanCrashRounds(
  dataDir: string,
  rounds: number,
  { judgeUrl }: { readonly judgeUrl?: string } = {},
): Promise<SpanCrashReport> {
  const evaluators = judgeUrl === undefined ? EVALUATORS : [...EVALUATORS, JUDGED_COUNT.slug]
  const env = judgeUrl === undefined ? {} : { OPENAI_BASE_URL: judgeUrl }
  const acknowledged = new Map<string, SentSpan>()
  const unanswered: SentSpan[][] = []
  let slowestResumeMs = 0
  for (let round = 0; round < rounds; round++) {
    await withService(dataDir, env, async (service) => {
      if (round === 0) await monitorEverything(service.url, service.url, evaluators, acknowledged)
      else slowestResumeMs = Math.max(slowestResumeMs, await resumeMs(service.url))
      const again = unanswered.splice(0)
      const writers = Array.from({ length: WRITERS }, () =>
        sendUntilItDies(service.url, acknowledged, unanswered, again),
      )
      const before = acknowledged.size
      await new Promise((resolve) =>
        setTimeout(resolve, ROUND_MS_MIN + Math.random() * (ROUND_MS_MAX - ROUND_MS_MIN)),
      )
      await eventually(async () => acknowledged.size > before, 'spans are acknowledged')
      await service.end('SIGKILL')
      await Promise.all(writers)
    })
  }
  const findings = await withService(dataDir, env, ({ url }) => audit(url, evaluators, acknowledged))
  return { rounds, slowestResumeMs, ...findings }
}

/** A service that is gone in the end, whatever becomes of the round. */
async function withService<T>(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  use: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await spawnService({
    ASSAY_DATA_DIR: dataDir,
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_SETUP_REST_MS: '0',
    ...env,
  })
  try {
    return await use(service)
  } finally {
    service.abandon()
  }
}

async function sendUntilItDies(
  url: string,
  acknowledged: Map<string, SentSpan>,
  unanswered: SentSpan[][],
  again: SentSpan[][],
): Promise<void> {
  let previous: SentSpan[] = []
  for (;;) {
    const isRepeat = previous.length > 0 && Math.random() < 0.2
    const request = again.pop() ?? (isRepeat ? previous : Array.from({ length: SPANS_PER_REQUEST }, newSpan))
    try {
      await sendRequest(url, request, acknowledged)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      unanswered.push(request)
      return
    }
    previous = request
  }
}

/** How long a score takes to appear that was waiting when the service started; 0 when none was waiting. */
async function resumeMs(url: string): Promise<number> {
  const startMs = performance.now()
  const before = await lagOf(url)
  if (before === 0) return 0
  await eventually(async () => (await lagOf(url)) < before, 'scoring goes on')
  return performance.now() - startMs
}
