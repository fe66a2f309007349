import type { Logger } from '../../ports/logger.ts'

/** The facts about the servers that are known from outside. */
export interface SyncCheck {
  readonly monitorUrls: readonly string[]
  /** The operator's statement about `sync_interval`. */
  readonly said?: 'always' | 'interval'
  readonly logger: Logger
}

const ANSWER_MS_MAX = 5_000
const WHAT_TO_DO =
  'set sync_interval: always in the jetstream block of every server (nats-server 2.10 or newer), see docs/cluster.md'

/**
 * By default the servers flush to disk every two minutes and acknowledge before that, so that spans which were answered 200
 * are lost when the machines of a quorum crash. A client cannot see the setting; the monitoring port shows it. Throws when it
 * is seen that it is missing and the operator has not accepted that; warns when it cannot be seen.
 */
export async function checkSync({ monitorUrls, said, logger }: SyncCheck): Promise<void> {
  const without: string[] = []
  let seen = 0
  for (const url of monitorUrls) {
    const isAlways = await readSyncAlways(url, logger)
    if (isAlways !== undefined) seen++
    if (isAlways === false) without.push(url)
  }
  if (without.length > 0 && said !== 'interval') {
    throw new Error(
      `${without.join(', ')}: acknowledged spans can be lost; ${WHAT_TO_DO}, or accept it with ASSAY_NATS_SYNC=interval`,
    )
  }
  const isKnown = seen > 0 && seen === monitorUrls.length && without.length === 0
  if (isKnown || said === 'always') return
  logger.warn(
    {},
    'ACKNOWLEDGED SPANS MAY BE LOST when the machines of NATS servers crash, unless these flush every write: ' +
      `${WHAT_TO_DO}; then say ASSAY_NATS_SYNC=always`,
  )
}

/** Undefined when the server does not answer. */
async function readSyncAlways(url: string, logger: Logger): Promise<boolean | undefined> {
  try {
    const answer = await fetch(`${url}/varz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const shown = (await answer.json()) as { jetstream?: { config?: { sync_always?: boolean } } }
    return shown.jetstream?.config?.sync_always === true
  } catch (error) {
    logger.warn({ err: error, url }, 'the monitoring port of a NATS server does not answer')
    return undefined
  }
}
