import { unwritten } from './unwritten.ts'

export const fillWork = unwritten('fillWork')
export const stopMonitors = unwritten('stopMonitors')
