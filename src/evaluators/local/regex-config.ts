import * as z from 'zod'
import { invalidInput } from '../../lib/public-error.ts'
import { compileSafeRegex, RegexSyntaxError, RegexTimeout } from '../../lib/safe-regex/safe-regex.ts'

/** The settings of every evaluator that checks a text against a pattern. */
export const regexConfig = {
  should_match: z.boolean().default(true).describe('True when the text must match, false when it must not.'),
  case_sensitive: z.boolean().default(true).describe('Whether upper and lower case differ.'),
  dot_include_nl: z.boolean().default(false).describe('Whether a dot also matches a line break.'),
  multi_line: z.boolean().default(false).describe('Whether ^ and $ match at every line.'),
}

type RegexConfig = { readonly [Name in keyof typeof regexConfig]: boolean }

/**
 * True when the pattern, in the language of Python's `re`, is found in the text or is not, as should_match asks.
 * `field` is where the pattern came from: a pattern that is bad or takes too long is bad input.
 */
export function followsRegex(field: string, pattern: string, text: string, config: RegexConfig): boolean {
  try {
    const regex = compileSafeRegex(pattern, {
      dialect: 'python',
      ignoreCase: !config.case_sensitive,
      dotAll: config.dot_include_nl,
      multiline: config.multi_line,
    })
    return regex.test(text) === config.should_match
  } catch (error) {
    if (error instanceof RegexSyntaxError) {
      throw invalidInput(`${field} is not a valid regular expression: ${error.message}`)
    }
    if (error instanceof RegexTimeout) throw invalidInput(`${field} ${error.message}`)
    throw error
  }
}
