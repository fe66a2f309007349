import { jsonFaultPlace } from '../json-fault.ts'
import { invalidInput } from '../public-error.ts'
import { compileSchema, type Validator } from './schema-compiler.ts'

/** How many compiled schemas are kept. */
const KEPT_SCHEMAS_MAX = 256

/** How long a schema may be. Compiling takes about a quarter of a second for this much. */
export const SCHEMA_CHARS_MAX = 1_000_000

/** How much schema text the kept ones may have together; compiled they take many times as much memory. */
const KEPT_CHARS_MAX = 2_000_000

// A Map remembers the order of insertion: the first key is the one that was not used for the longest time.
const compiled = new Map<string, Validator>()
let compiledChars = 0

/** The validator for a schema text; compiled once while it stays in use. A broken schema is a 400 and is not kept. */
export function validatorFor(schemaText: string): Validator {
  const known = compiled.get(schemaText)
  if (known) {
    compiled.delete(schemaText)
    compiled.set(schemaText, known)
    return known
  }
  const validator = compileSchema(parseSchema(schemaText))
  compiled.set(schemaText, validator)
  compiledChars += schemaText.length
  dropOldest()
  return validator
}

function dropOldest(): void {
  for (const schemaText of compiled.keys()) {
    if (compiled.size <= KEPT_SCHEMAS_MAX && compiledChars <= KEPT_CHARS_MAX) return
    compiled.delete(schemaText)
    compiledChars -= schemaText.length
  }
}

function parseSchema(schemaText: string): unknown {
  if (schemaText.length > SCHEMA_CHARS_MAX) {
    throw invalidInput(`config.schema_string is longer than ${SCHEMA_CHARS_MAX} characters`)
  }
  try {
    return JSON.parse(schemaText)
  } catch {
    throw invalidInput(`config.schema_string is not valid JSON${jsonFaultPlace(schemaText)}`)
  }
}
