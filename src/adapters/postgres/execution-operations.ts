import { unwritten } from './unwritten.ts'

export const createExecution = unwritten('createExecution')
export const finishExecution = unwritten('finishExecution')
export const getExecution = unwritten('getExecution')
