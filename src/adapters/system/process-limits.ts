import { readFileSync } from 'node:fs'
import os from 'node:os'

/** The memory that the process may use: that of its container, or of the machine. */
export function memoryBytesMax(): number {
  const total = os.totalmem()
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(total, constrained) : total
}

/** How many descriptors the process may have open; undefined where the system does not tell. */
export function openFilesMax(): number | undefined {
  const limit = Number(limitText())
  return Number.isInteger(limit) && limit > 0 ? limit : undefined
}

function limitText(): unknown {
  try {
    return /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  } catch {
    // Not Linux. The report takes milliseconds, which does not matter at the start.
    const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
    return report.userLimits?.open_files?.soft
  }
}
