import { after } from 'node:test'
import { PostgresDatabase } from '../../src/stores/postgres/postgres-database.ts'
import { recordingLogger } from './recording-logger.ts'

/** A database of two connections, with time enough for a slow machine; it is closed with the test file. */
export function openSmallDatabase(url: string): PostgresDatabase {
  const db = new PostgresDatabase({
    url,
    connectionsMax: 2,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => db.close())
  return db
}
