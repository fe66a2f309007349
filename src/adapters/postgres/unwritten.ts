// biome-ignore lint/suspicious/noExplicitAny: stands in for every operation that is not written yet.
export function unwritten(name: string): (...args: any[]) => Promise<any> {
  return () => Promise.reject(new Error(`${name} is not written for PostgreSQL yet`))
}
