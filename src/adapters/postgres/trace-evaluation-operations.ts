import { unwritten } from './unwritten.ts'

export const listTraceEvaluations = unwritten('listTraceEvaluations')
export const listSessionEvaluations = unwritten('listSessionEvaluations')
