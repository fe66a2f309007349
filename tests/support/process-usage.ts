import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory of a process in bytes, now and at its highest. Linux only, like the attacks that use it. */
export function residentBytes(pid: number | undefined): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
  return { now: kilobytes('VmRSS') * 1_024, peak: kilobytes('VmHWM') * 1_024 }
}

/** How many descriptors a process has open. */
export function openDescriptors(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
