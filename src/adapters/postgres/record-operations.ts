import { unwritten } from './unwritten.ts'

export const recordWork = unwritten('recordWork')
