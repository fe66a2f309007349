import { unwritten } from './unwritten.ts'

export const readUsage = unwritten('readUsage')
export const readSessionUsage = unwritten('readSessionUsage')
