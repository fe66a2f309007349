import { unwritten } from './unwritten.ts'

export const createSetup = unwritten('createSetup')
export const updateSetup = unwritten('updateSetup')
export const deleteSetup = unwritten('deleteSetup')
export const upsertSetups = unwritten('upsertSetups')
export const getSetup = unwritten('getSetup')
export const listSetups = unwritten('listSetups')
