import { readRawCall } from './tool-call.ts'

/**
 * Whether both lists hold the same calls, written in the same way: what an agent that does as expected gives. This is
 * told from the texts of the arguments, before any of them is taken apart. False may only mean "not obviously".
 */
export function areSameCalls(
  expected: readonly unknown[],
  executed: readonly unknown[],
  inOrder: boolean,
): boolean {
  if (expected.length !== executed.length) return false
  try {
    return inOrder
      ? expected.every((call, at) => isSame(textOf(call), textOf(executed[at])))
      : isSameBag(expected, executed)
  } catch (error) {
    // Arguments nested too deeply to be written as text; the full comparison does not use the stack.
    if (error instanceof RangeError) return false
    throw error
  }
}

function isSameBag(expected: readonly unknown[], executed: readonly unknown[]): boolean {
  const counts = new Map<string, number>()
  for (const call of executed) {
    const text = textOf(call)
    if (text === undefined) return false
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return expected.every((call) => {
    const text = textOf(call) ?? ''
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count > 0
  })
}

function isSame(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left === right
}

/** Tool and arguments as one text; undefined when the entry is not a call. Ids and types do not matter. */
function textOf(entry: unknown): string | undefined {
  const call = readRawCall(entry)
  if (!call) return undefined
  return `${call.name}\0${typeof call.args === 'string' ? call.args : JSON.stringify(call.args)}`
}
