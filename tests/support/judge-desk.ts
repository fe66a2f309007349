import { after } from 'node:test'
import { createModelClient } from '../../src/adapters/llm/model-client.ts'
import {
  type FakeModel,
  type FakeModelOptions,
  startFakeModel,
} from '../../src/cli/fake-judge/fake-model-server.ts'
import type { ModelRef } from '../../src/domain/judgement.ts'
import { createJudgeDesk, type JudgeDeskDeps } from '../../src/pipeline/judging/judge-desk.ts'
import type { JudgeDesk, JudgePayer, JudgeQuestion } from '../../src/ports/judge.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { openSqliteStorage } from '../../src/stores/sqlite/sqlite-storage.ts'
import { recordingLogger } from './recording-logger.ts'
import { startInProcess } from './storage-in-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export const GPT_4O: ModelRef = { provider: 'openai', model: 'gpt-4o' }

/** A question with one of each kind of field. */
export const QUESTION = {
  prompt: 'test/question@1',
  messages: [
    { role: 'system', parts: ['You compare an answer with its source.'] },
    { role: 'user', parts: ['Is this supported?\n', { label: 'answer', data: 'Paris is in France.' }] },
  ],
  answer: {
    kind: 'object',
    fields: {
      verdict: { kind: 'choice', values: ['yes', 'no'] },
      quote: { kind: 'text' },
      certainty: { kind: 'integer', min: 1, max: 5 },
    },
  },
} as const satisfies JudgeQuestion

export const RIGHT = { verdict: 'no', quote: 'in France', certainty: 3 } as const

/** A desk over a real store and a real HTTP server that plays the model. */
export interface DeskFixture {
  readonly desk: JudgeDesk
  readonly model: FakeModel
  readonly storage: Storage
  readonly payer: JudgePayer
  readonly logLines: string[]
  /** The times slept, in order; no time really passes. */
  readonly slept: number[]
  readonly counted: Record<string, number>
  /** The time that the desk believes in; sleeping moves it on. */
  readonly clock: { atMs: number }
  /** Another desk over the same store and server, as after a restart. */
  again(change?: Partial<JudgeDeskDeps>): JudgeDesk
}

/** Starts everything and ends it with the tests. */
export async function startDesk(
  change: Partial<JudgeDeskDeps> = {},
  options: FakeModelOptions = {},
): Promise<DeskFixture> {
  const model = await startFakeModel(options)
  const storage = await openSqliteStorage({
    dataDir: temporaryDirectory(),
    readerThreads: 1,
    startThread: startInProcess,
  })
  const payer = await newPayer(storage, 'one')
  const logLines: string[] = []
  const slept: number[] = []
  const counted: Record<string, number> = {}
  const clock = { atMs: Date.now() }
  const count = (name: string, by = 1) => {
    counted[name] = (counted[name] ?? 0) + by
  }
  const desks: JudgeDesk[] = []
  const again = (more: Partial<JudgeDeskDeps> = {}) => {
    const desk = createJudgeDesk({
      client: createModelClient(),
      storage,
      ledger: storage.ledger,
      clock: { nowMs: () => clock.atMs },
      logger: recordingLogger(logLines),
      counters: {
        countCall: (_model, outcome) => count(outcome),
        countUsage: (_model, { promptTokens = 0 }, cost) => {
          count('promptTokens', promptTokens)
          if (cost !== undefined) count('costMicros', cost)
        },
        countCacheHit: () => count('cacheHits'),
        countRepair: () => count('repairs'),
        countUnwritten: (answers) => count('unwritten', answers),
        setBreaker: (_provider, state) => count(`breaker ${state}`),
        changeSlots() {},
      },
      limits: { callsMax: 8 },
      cache: { entriesMax: 1_000, ageMsMax: 86_400_000 },
      operator: {
        defaultModel: GPT_4O,
        judge: { apiKey: 'operator-secret', baseUrl: model.url },
        access: { openai: { apiKey: 'operator-secret', baseUrl: model.url } },
      },
      openKey: (_scope, { sealed }) => Buffer.from(sealed, 'base64').toString(),
      tenantBaseUrls: [model.url],
      random: () => 0.5,
      async sleep(ms, signal) {
        signal.throwIfAborted()
        slept.push(ms)
        clock.atMs += ms
      },
      ...change,
      ...more,
    })
    desks.push(desk)
    return desk
  }
  const desk = again()
  after(async () => {
    await Promise.all(desks.map((each) => each.close()))
    await storage.close()
    await model.close()
  })
  return { desk, model, storage, payer, logLines, slept, counted, clock, again }
}

/** A new organization with one project. */
export async function newPayer(storage: Storage, name: string): Promise<JudgePayer> {
  const [orgId, projectId] = [`org ${name}`, `project ${name}`]
  await storage.system.createOrganization({
    organization: { id: orgId, name, isOperator: false, retentionHours: 720, createdAtMs: 1 },
    project: {
      id: projectId,
      name,
      slug: name,
      environments: [{ envProjectId: `env ${name}`, slug: 'prd' }],
      createdAtMs: 1,
    },
    keys: [],
  })
  return { orgId, projectId }
}

/** A signal that never aborts. */
export const patient = (): AbortSignal => new AbortController().signal
