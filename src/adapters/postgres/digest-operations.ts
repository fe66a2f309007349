import { unwritten } from './unwritten.ts'

export const recordDigests = unwritten('recordDigests')
export const readUndigested = unwritten('readUndigested')
export const digestedThrough = unwritten('digestedThrough')
export const isDigested = unwritten('isDigested')
