import { unwritten } from './unwritten.ts'

export const readSeries = unwritten('readSeries')
export const readProgress = unwritten('readProgress')
