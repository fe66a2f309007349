import { unwritten } from './unwritten.ts'

export const claimUnits = unwritten('claimUnits')
export const recordUnit = unwritten('recordUnit')
export const postponeUnit = unwritten('postponeUnit')
export const skipUnit = unwritten('skipUnit')
export const readUnit = unwritten('readUnit')
export const fillUnits = unwritten('fillUnits')
