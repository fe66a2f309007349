import { unwritten } from './unwritten.ts'

export const readDecisions = unwritten('readDecisions')
export const listUndigestedBatches = unwritten('listUndigestedBatches')
export const listBatches = unwritten('listBatches')
