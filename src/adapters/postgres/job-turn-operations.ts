import { unwritten } from './unwritten.ts'

export const takeTurn = unwritten('takeTurn')
