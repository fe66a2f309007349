import { unwritten } from './unwritten.ts'

export const listTraces = unwritten('listTraces')
export const getTrace = unwritten('getTrace')
export const listTracePlaces = unwritten('listTracePlaces')
export const listSessions = unwritten('listSessions')
