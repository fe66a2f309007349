import { unwritten } from './unwritten.ts'

export const useCachedAnswer = unwritten('useCachedAnswer')
export const recordCalls = unwritten('recordCalls')
export const dropCachedAnswers = unwritten('dropCachedAnswers')
export const putProviderKey = unwritten('putProviderKey')
export const deleteProviderKey = unwritten('deleteProviderKey')
export const putBudget = unwritten('putBudget')
export const deleteBudget = unwritten('deleteBudget')
export const findCachedAnswer = unwritten('findCachedAnswer')
export const listProviderKeys = unwritten('listProviderKeys')
export const listBudgets = unwritten('listBudgets')
export const readSpend = unwritten('readSpend')
export const listSpend = unwritten('listSpend')
