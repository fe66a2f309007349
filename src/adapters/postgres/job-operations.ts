import { unwritten } from './unwritten.ts'

export const createJob = unwritten('createJob')
export const cancelJob = unwritten('cancelJob')
export const getJob = unwritten('getJob')
export const listJobs = unwritten('listJobs')
