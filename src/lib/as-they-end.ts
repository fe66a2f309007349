/**
 * Runs tasks, a few at a time, and gives their results in the order in which they end. A task is begun only when there is room for
 * it and its result is wanted. A task that fails ends everything with its error.
 */
export async function* asTheyEnd<T>(
  tasks: Iterable<() => Promise<T>>,
  atOnceMax: number,
): AsyncGenerator<T, void, void> {
  const running = new Map<number, Promise<{ readonly at: number; readonly value: T }>>()
  let count = 0
  const begin = (task: () => Promise<T>) => {
    const at = count++
    const ending = task().then((value) => ({ at, value }))
    // Another failure may end the loop first, and then this one has no reader.
    ending.catch(() => undefined)
    running.set(at, ending)
  }
  const waiting = tasks[Symbol.iterator]()
  for (;;) {
    while (running.size < atOnceMax) {
      const { done, value } = waiting.next()
      if (done) break
      begin(value)
    }
    if (running.size === 0) return
    const { at, value } = await Promise.race(running.values())
    running.delete(at)
    yield value
  }
}
