import { unwritten } from './unwritten.ts'

export const claimWork = unwritten('claimWork')
export const retryWork = unwritten('retryWork')
export const readMonitorVersions = unwritten('readMonitorVersions')
export const readWorkBatches = unwritten('readWorkBatches')
export const readMonitorOwners = unwritten('readMonitorOwners')
