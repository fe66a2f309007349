import pg from 'pg'
import { faultySqlite } from './faulty-sqlite.ts'
import { startRestingService, type TestService } from './service.ts'
import { isOnPostgres } from './test-store.ts'

/** A service whose store can be put out of order while it runs. */
export interface FaultyService {
  readonly service: TestService
  /** The faults that this kind of store can have, with what a client is told. */
  readonly faults: readonly { readonly name: string; readonly reason: RegExp }[]
  breakStore(fault: string): Promise<void>
  mendStore(): Promise<void>
}

/** Starts a service on the store that the tests are run with. */
export function startFaultyService(env: Record<string, string>): Promise<FaultyService> {
  return isOnPostgres() ? onPostgres(env) : onSqlite(env)
}

async function onSqlite(env: Record<string, string>): Promise<FaultyService> {
  const { startThread, set } = faultySqlite()
  return {
    service: await startRestingService(env, { store: { startThread } }),
    faults: [
      { name: 'full', reason: /disk is full/ },
      { name: 'read-only', reason: /read-only/ },
      { name: 'broken', reason: /disk fails/ },
    ],
    breakStore: async (fault) => set(fault as 'full'),
    mendStore: async () => set('none'),
  }
}

async function onPostgres(env: Record<string, string>): Promise<FaultyService> {
  const service = await startRestingService(env)
  const url = new URL(service.store.env['ASSAY_DATABASE_URL'] ?? '')
  const name = url.pathname.slice(1)
  // The database is made read-only for everyone but this connection.
  url.searchParams.set('options', '-c default_transaction_read_only=off')
  const alter = async (change: string) => {
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query(`ALTER DATABASE ${name} ${change}`)
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [name],
    )
    await client.end()
  }
  return {
    service,
    faults: [{ name: 'read-only', reason: /read-only/ }],
    breakStore: () => alter('SET default_transaction_read_only = on'),
    mendStore: () => alter('RESET default_transaction_read_only'),
  }
}
