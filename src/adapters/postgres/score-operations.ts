import { unwritten } from './unwritten.ts'

export const addScores = unwritten('addScores')
export const listScores = unwritten('listScores')
export const listScoresOf = unwritten('listScoresOf')
export const listVerdictPairs = unwritten('listVerdictPairs')
