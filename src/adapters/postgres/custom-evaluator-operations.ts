import { unwritten } from './unwritten.ts'

export const createCustomEvaluator = unwritten('createCustomEvaluator')
export const changeCustomEvaluator = unwritten('changeCustomEvaluator')
export const listCustomEvaluators = unwritten('listCustomEvaluators')
export const findCustomEvaluator = unwritten('findCustomEvaluator')
export const listCustomVersions = unwritten('listCustomVersions')
