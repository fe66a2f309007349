import { unwritten } from './unwritten.ts'

export const deleteTrace = unwritten('deleteTrace')
export const deleteSession = unwritten('deleteSession')
export const deleteProjectData = unwritten('deleteProjectData')
