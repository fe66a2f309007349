import { after } from 'node:test'
import { PostgresDatabase } from '../../src/stores/postgres/postgres-database.ts'
import { recordingLogger } from './recording-logger.ts'

/** The rows of a database, for a test that looks behind the store. */
export function openRows(url: string): PostgresDatabase {
  const db = new PostgresDatabase({
    url,
    connectionsMax: 4,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => db.close())
  return db
}
