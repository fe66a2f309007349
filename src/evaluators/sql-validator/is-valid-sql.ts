import { invalidInput } from '../../lib/public-error.ts'
import { TaintedThread } from '../kit/tainted-thread.ts'
import { flattenSql } from './flatten-sql.ts'

/** Longest SQL that is checked. The parser's memory only grows: a megabyte takes about 200 MB of it. */
export const SQL_CHARS_MAX = 1_000_000

/**
 * Whether PostgreSQL's own parser, compiled to WebAssembly, takes the text as one or more statements. Comments and
 * semicolons alone are no statement. Only the syntax is looked at: no table or column has to exist.
 */
export async function isValidSql(sql: string): Promise<boolean> {
  if (sql.length > SQL_CHARS_MAX) throw invalidInput(`input.text must be at most ${SQL_CHARS_MAX} characters`)
  // The parser ends at U+0000 like every C program and would not see what follows.
  if (sql.trim() === '' || sql.includes('\0')) return false
  const flat = flattenSql(sql)
  if (flat === undefined) return false
  const { parse, hasSqlDetails } = await loadParser()
  try {
    return ((await parse(flat)).stmts ?? []).length > 0
  } catch (error) {
    if (hasSqlDetails(error) && !isExhausted(error.message)) return false
    // Memory or stack ran out, in one of several ways: an error of the language, of the module, or no error object at
    // all. That says nothing about the SQL, and the module cannot be trusted afterwards (it broke after 36 of these).
    throw new TaintedThread('input.text is too large or nested too deeply to be checked')
  }
}

// PostgreSQL says "memory exhausted" when its grammar's own stack is full, which no SQL that it would run does.
function isExhausted(message: string): boolean {
  return /out of memory|request size/i.test(message)
}

// 1.8 MB of WebAssembly: loaded by the first call, so that no other evaluator pays for it.
function loadParser() {
  return import('libpg-query')
}
