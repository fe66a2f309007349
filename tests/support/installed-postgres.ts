import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Where Debian and its relatives put PostgreSQL, one directory for each version. */
const INSTALLED_AT = '/usr/lib/postgresql'
const VERSION_MIN = 15

/** The oldest PostgreSQL of this machine that is new enough, with its server and its tools; undefined when there is none. */
export function installedPostgres(): { readonly directory: string; readonly version: number } | undefined {
  if (!existsSync(INSTALLED_AT)) return undefined
  const hasAll = (version: number) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((program) =>
      existsSync(path.join(INSTALLED_AT, String(version), 'bin', program)),
    )
  const version = readdirSync(INSTALLED_AT)
    .map(Number)
    .filter((number) => number >= VERSION_MIN && hasAll(number))
    .sort((left, right) => left - right)[0]
  if (version === undefined) return undefined
  return { directory: path.join(INSTALLED_AT, String(version)), version }
}
