import { unwritten } from './unwritten.ts'

export const resume = unwritten('resume')
export const rebind = unwritten('rebind')
export const sweep = unwritten('sweep')
