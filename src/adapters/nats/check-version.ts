import type { Logger } from '../../ports/logger.ts'

/** The first that refuses what does not fit before its copies are asked, so that these stay the same. */
const OLDEST = [2, 10] as const

/**
 * Older servers refuse what does not fit into a full stream at each copy for itself, and count that apart. When one of them is
 * killed then, another may begin anew from too little, and acknowledged messages are gone.
 */
export function checkVersion(version: string | undefined, logger: Logger): void {
  if (version === undefined || isRecent(version)) return
  logger.warn(
    { version },
    `ACKNOWLEDGED SPANS MAY BE LOST when a NATS server is killed while the stream is full: this is nats-server ${version}, ` +
      `use ${OLDEST.join('.')} or newer, see docs/cluster.md`,
  )
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
