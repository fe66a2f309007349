/** Milliseconds of processor time that this thread has used: time in which others kept it waiting does not count. */
export function threadProcessorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
