import { readFileSync } from 'node:fs'
import { createModelClient } from '../adapters/llm/model-client.ts'
import { systemClock } from '../adapters/system/system-clock.ts'
import { judgeAccess } from '../config/judge-access.ts'
import { type Config, ConfigError } from '../config.ts'
import { EMBEDDED_JUDGE, modelName } from '../domain/judgement.ts'
import { type ModelPrice, parsePrices } from '../domain/model-prices.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import type { EmbeddedUse } from '../evaluators/embedded-judge.ts'
import { defined } from '../lib/defined.ts'
import { startThread } from '../lib/threads/start-thread.ts'
import type { JudgeCounters } from '../pipeline/judging/judge-counters.ts'
import { createJudgeDesk } from '../pipeline/judging/judge-desk.ts'
import { JudgingPool } from '../pipeline/judging/judging-pool.ts'
import type { JudgeDesk, JudgeSettings, ProviderOverview } from '../ports/judge.ts'
import type { StoredProviderKey } from '../ports/judge-storage.ts'
import type { Logger } from '../ports/logger.ts'
import type { Storage } from '../ports/storage.ts'
import type { OwnModels } from '../ports/text-classifier.ts'

/** Evaluations with a judge that may be under way before new ones are refused with 503. */
const JUDGED_CALLS_MAX = 1_000
/** A judging thread that says nothing for so long is given up; it only ever does a little at a time. */
const SILENT_MS_MAX = 30_000
/** Instead of a judge where there is none; no monitor is bound to it. */
const NOBODY = 'nobody'
/** Memory of the judging thread. */
const JUDGING_HEAP_MB_MAX = 512

/** Everything that judges. */
export interface Judges extends ProviderOverview {
  readonly desk: JudgeDesk & JudgeSettings
  readonly pool: JudgingPool
  /** The judge for organizations without keys of their own; undefined where there is none. */
  readonly operatorJudge: string | undefined
  /** The judge of an organization: `provider/model`, `embedded`, or undefined where there is none. */
  judgeOf(tenant: OrgTenant): Promise<string | undefined>
  /** The current judge of each organization; monitors bound to another judge have to be bound anew. */
  judgesOfAll(): Promise<Readonly<Record<string, string>>>
  close(): Promise<void>
}

/** The parts of the service that judges need. */
export interface JudgesDeps {
  readonly storage: Storage
  readonly logger: Logger
  readonly counters: JudgeCounters
  readonly openKey: (tenant: OrgTenant, key: StoredProviderKey) => string
  /** Prices that win over the built-in ones. */
  readonly prices: Readonly<Record<string, ModelPrice>> | undefined
  readonly ownModels: OwnModels | undefined
}

/** The permitted use of the embedded judge in monitors. */
export function embeddedUseOf({ embeddedJudge }: Config): EmbeddedUse {
  return embeddedJudge === 'always' ? 'answers' : 'scores when good'
}

/** Connects the desk with the providers that are configured, and the thread with the desk. */
export function openJudges(config: Config, deps: JudgesDeps): Judges {
  const { storage, logger, counters, openKey, prices } = deps
  const operator = judgeAccess(config)
  const desk = createJudgeDesk({
    client: createModelClient(),
    storage,
    ledger: storage.ledger,
    clock: systemClock,
    logger,
    counters,
    operator,
    openKey,
    tenantBaseUrls: config.providerBaseUrls ?? [],
    limits: {
      callsMax: config.judgeConcurrency,
      ...defined({ tokensPerMinute: config.judgeTokensPerMinute }),
    },
    cache: { entriesMax: config.judgeCacheEntries, ageMsMax: config.judgeCacheHours * 3_600_000 },
    ...(prices ? { prices } : {}),
  })
  const limits = {
    evaluationMsMax: config.judgeMsMax,
    callsMax: JUDGED_CALLS_MAX,
    silentMsMax: SILENT_MS_MAX,
    heapMbMax: JUDGING_HEAP_MB_MAX,
  }
  const threadData = {
    privacy: config.privacyGate,
    embeddedUse: embeddedUseOf(config),
    ...(deps.ownModels ? { ownModels: deps.ownModels } : {}),
  }
  const pool = new JudgingPool(startThread, desk, limits, logger, threadData)
  const withoutProvider = config.embeddedJudge === 'off' ? undefined : EMBEDDED_JUDGE
  const judgeOf = async (tenant: OrgTenant) => {
    const model = await desk.defaultModel(tenant)
    return model ? modelName(model) : withoutProvider
  }
  return {
    desk,
    pool,
    operatorJudge:
      operator.defaultModel && operator.judge ? modelName(operator.defaultModel) : withoutProvider,
    judgeOf,
    providersOf: (tenant) => desk.providersOf(tenant),
    async judgesOfAll() {
      const judges: Record<string, string> = {}
      for (const { id } of await storage.system.listOrganizations()) {
        judges[id] = (await judgeOf({ orgId: id })) ?? NOBODY
      }
      return judges
    },
    async close() {
      await pool.close()
      await desk.close()
    },
  }
}

/** The prices of the operator's own file; a file that cannot be used never lets the service start. */
export function readPrices({
  judgePricesFile: file,
}: Config): Readonly<Record<string, ModelPrice>> | undefined {
  if (file === undefined) return undefined
  try {
    return parsePrices(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`ASSAY_JUDGE_PRICES cannot be used: ${(error as Error).message}`)
  }
}
