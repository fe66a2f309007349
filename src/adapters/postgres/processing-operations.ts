import { unwritten } from './unwritten.ts'

export const claimSetups = unwritten('claimSetups')
export const finishSetup = unwritten('finishSetup')
export const sampleMatches = unwritten('sampleMatches')
