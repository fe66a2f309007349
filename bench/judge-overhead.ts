import http from 'node:http'
import { Worker } from 'node:worker_threads'
import { FIRST_KEY } from '../tests/support/call.ts'
import type { JudgeStage } from './judge-answers.ts'
import type { Contestant } from './judge-contestant.ts'
import { openBenchDesk } from './judge-desk.ts'
import type { JudgeName } from './judge-forms.ts'
import { SCORE_SLUG, scoreInput } from './judge-ours.ts'
import { median, percentile } from './run-report.ts'

/** Rounds before the clock counts. */
const WARM_UP_ROUNDS = 60

/**
 * The subject of a measurement: a function that makes one judge call, and one that sends only the request of that call.
 */
interface Subject {
  readonly title: string
  readonly bare: () => Promise<unknown>
  /** `text` is new in every round, because ours would not pay for the same question twice. */
  readonly judge: (text: string) => Promise<unknown>
}

/** The inputs of an overhead measurement. */
export interface OverheadOptions {
  readonly calls: number
  /** A request of each judge, as it was sent. */
  readonly requests: JudgeStage['lastRequest']
  readonly dataDir: string
  readonly startContestants: (modelUrl: string) => Promise<{
    readonly serviceUrl: string
    readonly contestants: readonly Contestant[]
    close(): Promise<void>
  }>
}

/**
 * One judge call of each judge and the same request sent bare, in turn, against the same model; the difference of the two is
 * what the judge adds. Returns the lines of a table.
 */
export async function measureOverhead(options: OverheadOptions): Promise<string[]> {
  const thread = new Worker(new URL('judge-model-thread.ts', import.meta.url))
  const modelUrl = await new Promise<string>((resolve) => thread.once('message', resolve))
  const entrance = await options.startContestants(modelUrl)
  const desk = await openBenchDesk(options.dataDir, `${modelUrl}/score/v1`)
  try {
    const bareOf = (name: JudgeName) => bareRequest(`${modelUrl}/${name}/v1/chat/completions`, options, name)
    const subjects: Subject[] = [
      { title: 'ours, the judge desk alone', bare: bareOf('score'), judge: desk.ask },
      { title: 'ours, an evaluator in its thread', bare: bareOf('score'), judge: desk.evaluate },
      {
        title: 'ours, over HTTP',
        bare: bareOf('score'),
        judge: executeOver(entrance.serviceUrl, SCORE_SLUG, scoreInput),
      },
      ...entrance.contestants
        .filter(({ name }) => name !== 'relevancy' && name !== 'score')
        .map(({ name, title, judge }) => ({ title, bare: bareOf(name), judge })),
    ]
    const noJudge = executeOver(entrance.serviceUrl, 'char-count', (text) => ({ text }))
    return renderLines(options.calls, subjects, await measure(subjects, noJudge, options.calls))
  } finally {
    await desk.close()
    await entrance.close()
    await thread.terminate()
  }
}

interface Times {
  readonly bare: number[]
  readonly judged: number[]
}

async function measure(subjects: readonly Subject[], noJudge: Subject['judge'], calls: number) {
  const times = subjects.map((): Times => ({ bare: [], judged: [] }))
  const entrance: number[] = []
  for (let round = -WARM_UP_ROUNDS; round < calls; round++) {
    const text = `Oslo is the capital of Norway, said in round ${round}.`
    for (const [at, { bare, judge }] of subjects.entries()) {
      const [bareMs, judgedMs] = [await timed(bare), await timed(() => judge(text))]
      if (round < 0) continue
      times[at]?.bare.push(bareMs)
      times[at]?.judged.push(judgedMs)
    }
    const entranceMs = await timed(() => noJudge(text))
    if (round >= 0) entrance.push(entranceMs)
  }
  return { times, entrance }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

function renderLines(
  calls: number,
  subjects: readonly Subject[],
  { times, entrance }: Awaited<ReturnType<typeof measure>>,
): string[] {
  const ms = (value: number) => value.toFixed(2)
  return [
    `One judge call, ${calls} of each in turn, in milliseconds. An execute request that asks nobody (char-count) took ` +
      `${ms(median(entrance))} at the median; that much of "over HTTP" is the way to the service and back.`,
    '',
    '| judge | whole call, p50 | request alone, p50 | added by the judge, p50 | p10 | p95 |',
    '|---|---|---|---|---|---|',
    ...subjects.map(({ title }, at) => {
      const { bare, judged } = times[at] as Times
      const added = judged.map((value, round) => value - (bare[round] as number))
      const figures = [
        median(judged),
        median(bare),
        median(added),
        percentile(added, 10),
        percentile(added, 95),
      ]
      return `| ${title} | ${figures.map(ms).join(' | ')} |`
    }),
  ]
}

/** The request as the judge sent it, through the runtime's own client, and the answer read as JSON. */
function bareRequest(url: string, { requests }: OverheadOptions, name: JudgeName): () => Promise<unknown> {
  const body = JSON.stringify(requests.get(name)?.body)
  return () => post(url, body, {})
}

function executeOver(serviceUrl: string, slug: string, inputOf: (text: string) => object): Subject['judge'] {
  const headers = { authorization: `Bearer ${FIRST_KEY}` }
  const url = `${serviceUrl}/v2/evaluators/${slug}/execute`
  return (text) => post(url, JSON.stringify({ input: inputOf(text) }), headers)
}

function post(url: string, body: string, headers: Record<string, string>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    }
    const outgoing = http.request(url, options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (incoming.statusCode === 200) resolve(JSON.parse(text))
        else reject(new Error(`${url} answered ${incoming.statusCode}: ${text}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
