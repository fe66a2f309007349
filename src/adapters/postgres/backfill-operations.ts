import { unwritten } from './unwritten.ts'

export const recordBackfill = unwritten('recordBackfill')
export const readBackfillBatches = unwritten('readBackfillBatches')
