import type pg from 'pg'
import type { PostgresDatabase } from './postgres-database.ts'

const OLDEST_MAJOR = 15

/**
 * The first connection of a process. A fault of the address, the password, the certificate or the server is reported here, in
 * words for the operator and without anything secret.
 */
export async function connectAtStart(db: PostgresDatabase): Promise<pg.Client> {
  const client = await connected(db)
  try {
    await checkServer(client)
  } catch (error) {
    await client.end()
    throw error
  }
  return client
}

async function connected(db: PostgresDatabase): Promise<pg.Client> {
  try {
    const client = db.newClient()
    // Its queries fail with the same error.
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw new Error(
      `cannot connect to the database that ASSAY_DATABASE_URL names: ${(error as Error).message || 'no answer'}`,
      { cause: error },
    )
  }
}

/** Refuses a server that cannot hold the store. */
export async function checkServer(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding`,
  )
  const { number, version, encoding } = rows[0] as { number: number; version: string; encoding: string }
  if (number < OLDEST_MAJOR * 10_000) {
    throw new Error(
      `the server that ASSAY_DATABASE_URL names is PostgreSQL ${version}; version ${OLDEST_MAJOR} or newer is needed`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`the database that ASSAY_DATABASE_URL names has the encoding ${encoding}; UTF8 is needed`)
  }
}
