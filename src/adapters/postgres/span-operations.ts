import { unwritten } from './unwritten.ts'

export const admitSpans = unwritten('admitSpans')
export const readCatalogue = unwritten('readCatalogue')
export const listSpanRefs = unwritten('listSpanRefs')
export const readBatches = unwritten('readBatches')
