import { askedFor } from './asked-for.ts'
import { TROUBLE_WORDS } from './failure-phrases.ts'
import { readJson } from './json-signs.ts'
import { findTextSign } from './text-signs.ts'

/** How much of an error is quoted, in characters. */
const QUOTED_CHARS_MAX = 200

/**
 * The verdict of the deterministic tier. `error`: the tool says that it failed. `ok`: it says that it did not, or
 * nothing in the output even sounds like trouble. `unsure`: there are such words, but not where a tool would put its
 * own failure.
 */
export interface ToolErrorVerdict {
  readonly verdict: 'error' | 'ok' | 'unsure'
  readonly reason: string
}

/** Decides from signs alone, in linear time, whether a tool call failed. */
export function detectToolError(toolInput: string, toolOutput: string): ToolErrorVerdict {
  const asked = askedFor(toolInput)
  const parsed = parse(toolOutput)
  const { sign, isClear } = parsed.isJson
    ? readJson(parsed.value, { toolInput, asked })
    : { sign: findTextSign(toolOutput, asked), isClear: false }
  if (sign !== undefined) return { verdict: 'error', reason: `The output reports an error: ${quote(sign)}` }
  if (isClear || !TROUBLE_WORDS.test(toolOutput))
    return { verdict: 'ok', reason: 'The output reports no error.' }
  return {
    verdict: 'unsure',
    reason: 'No sign of an error of the tool was found, although the output has words about errors.',
  }
}

function parse(
  text: string,
): { readonly isJson: true; readonly value: unknown } | { readonly isJson: false } {
  try {
    return { isJson: true, value: JSON.parse(text) }
  } catch {
    return { isJson: false }
  }
}

function quote(sign: string): string {
  const line = sign
    .slice(0, QUOTED_CHARS_MAX * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > QUOTED_CHARS_MAX ? `${line.slice(0, QUOTED_CHARS_MAX)}...` : line
}
