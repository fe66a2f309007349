import type { Config } from '../config.ts'
import { hashSecret, newSecret } from '../control/api-keys.ts'
import { createFirstOrganization } from '../control/organizations.ts'
import type { EvaluationAnswer, EvaluationCall } from '../pipeline/execute/execute-evaluation.ts'
import { NO_COUNTERS } from '../pipeline/judging/judge-counters.ts'
import type { Logger } from '../ports/logger.ts'
import { openControl } from './open-core.ts'
import { openExecution } from './open-execution.ts'
import { readPrices } from './open-judges.ts'

/** Evaluators and their judge, as the service runs them, without the service. */
export interface Trial {
  /** The judge; undefined where there is none. */
  readonly judge: string | undefined
  execute(slug: string, call: EvaluationCall, signal: AbortSignal): Promise<EvaluationAnswer>
  close(): Promise<void>
}

/** Opens a trial over a store that must be empty: its cached answers and its spend belong to it alone. */
export async function openTrial(config: Config, logger: Logger): Promise<Trial> {
  const prices = readPrices(config)
  // A store of its own, whatever the service beside it uses.
  const { databaseUrl: _, ...own } = config
  const control = await openControl(own)
  const { storage } = control
  const secret = newSecret()
  const isNew = await createFirstOrganization(control, secret)
  const who = (await storage.system.findPrincipal(hashSecret(secret)))?.principal
  if (!isNew || !who) {
    await storage.close()
    throw new Error(`the store in ${config.dataDir} is not empty`)
  }
  const { execute, judges, close } = openExecution(config, {
    storage,
    logger,
    counters: NO_COUNTERS,
    openKey: () => {
      throw new Error('nobody has stored a key here')
    },
    prices,
    ownModels: undefined,
  })
  return {
    judge: await judges.judgeOf(who),
    execute: (slug, call, signal) => execute(who, slug, call, signal),
    async close() {
      await close()
      await storage.close()
    },
  }
}
