import { TaintedThread } from '../kit/tainted-thread.ts'

/**
 * Whether PostgreSQL's own parser, compiled to WebAssembly, takes the text as one or more statements. Comments and
 * semicolons alone are no statement. Only the syntax is looked at: no table or column has to exist.
 */
export async function isValidSql(sql: string): Promise<boolean> {
  // The parser ends at U+0000 like every C program and would not see what follows.
  if (sql.trim() === '' || sql.includes('\0')) return false
  const { parse, hasSqlDetails } = await loadParser()
  try {
    return ((await parse(sql)).stmts ?? []).length > 0
  } catch (error) {
    if (hasSqlDetails(error)) return false
    // An expression of some ten thousand terms overflows the module's stack, and after a few of these it is broken.
    if (error instanceof RangeError || (error as Error).name === 'RuntimeError') {
      throw new TaintedThread('input.text is nested too deeply to be checked')
    }
    throw error
  }
}

// 1.8 MB of WebAssembly: loaded by the first call, so that nobody else pays for it.
function loadParser() {
  return import('libpg-query')
}
