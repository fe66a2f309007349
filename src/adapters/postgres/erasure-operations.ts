import { unwritten } from './unwritten.ts'

export const eraseDeleted = unwritten('eraseDeleted')
