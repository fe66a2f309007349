// A move that is killed as soon as something of a table was moved: node killed-move.ts <data directory> <url> <table>

import { moveStore } from '../../src/stores/move/move-store.ts'
import { recordingLogger } from './recording-logger.ts'

const [dataDir = '', url = '', end] = process.argv.slice(2)
await moveStore({
  dataDir,
  postgres: {
    url,
    connectionsMax: 2,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  },
  pieceRowsMax: 1,
  onProgress: (table) => {
    if (table === end) process.kill(process.pid, 'SIGKILL')
  },
})
