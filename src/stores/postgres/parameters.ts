import { toHex } from '../shared/span-rows.ts'
import { Rows, type Sql, type SqlValue } from '../shared/sql.ts'

/** Runs statements inside of one transaction. */
export interface Transaction extends Sql {
  /** Statements that are not worth preparing, without values, such as those that change the schema. */
  exec(sql: string): Promise<void>
}

// PostgreSQL has no text with a NUL in it, but applications send such. It is stored as U+0001 and a digit, and so is U+0001.
const NUL = '\u0000'
const MARK = '\u0001'
const ESCAPED = new RegExp(`[${NUL}${MARK}]`, 'g')
const ESCAPES = new RegExp(`${MARK}([01])`, 'g')

/** A value as the driver takes it. */
export function toParameter(value: SqlValue): unknown {
  if (typeof value === 'string') return escapeText(value)
  if (value instanceof Uint8Array) return toBuffer(value)
  if (value instanceof Rows)
    return value.toJson((item) => (typeof item === 'string' ? escapeText(item) : `\\x${toHex(item)}`))
  if (Array.isArray(value)) {
    return value.map((item) =>
      typeof item === 'string' ? escapeText(item) : item instanceof Uint8Array ? toBuffer(item) : item,
    )
  }
  return value
}

/** A text as PostgreSQL can hold it. */
function escapeText(text: string): string {
  return text.includes(NUL) || text.includes(MARK)
    ? text.replace(ESCAPED, (char) => (char === NUL ? `${MARK}0` : `${MARK}1`))
    : text
}

/** The text that was given. */
export function unescapeText(text: string): string {
  return text.includes(MARK) ? text.replace(ESCAPES, (_, digit) => (digit === '0' ? NUL : MARK)) : text
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
