import { unwritten } from './unwritten.ts'

export const listMonitors = unwritten('listMonitors')
export const getMonitor = unwritten('getMonitor')
