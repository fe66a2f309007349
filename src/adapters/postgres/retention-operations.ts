import { unwritten } from './unwritten.ts'

export const dropExpired = unwritten('dropExpired')
