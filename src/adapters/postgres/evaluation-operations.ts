import { unwritten } from './unwritten.ts'

export const listEvaluations = unwritten('listEvaluations')
export const getEvaluation = unwritten('getEvaluation')
