import { readSecretName } from './secret-names.ts'
import { isSecretValue } from './secret-values.ts'

const COLUMNS_MAX = 40
// The list of columns right before "values", and the first list of values after it.
const COLUMNS = /\(([\w"`[\], \t\r\n]{1,600})\)\s{0,10}$/
const VALUES = /values\s{0,10}\(([^\n]{1,1000})/iy
const VALUE = /\s{0,10}(?:[nN]?'((?:[^'\\]|''|\\.){0,200})'|([^',()]{1,60}))\s{0,10}(,|\))/y

/** True when an INSERT gives a secret to a column that is named after one. */
export function isInsertedSecret(text: string, at: number): boolean {
  const columns = COLUMNS.exec(text.slice(Math.max(0, at - 640), at))?.[1]
  VALUES.lastIndex = at
  const values = VALUES.exec(text)?.[1]
  if (columns === undefined || values === undefined) return false
  const names = columns.split(',').map((name) => readSecretName(name.replace(/[^\w]/g, ''), ''))
  return readValues(values).some((value, index) => {
    const name = names[index]
    return name !== undefined && isSecretValue(name, value, { isLiteral: true, isProse: false })
  })
}

function readValues(list: string): string[] {
  const values: string[] = []
  for (let place = 0; values.length < COLUMNS_MAX; ) {
    VALUE.lastIndex = place
    const match = VALUE.exec(list)
    if (!match) break
    values.push(match[1] ?? '')
    place += match[0].length
    if (match[3] === ')') break
  }
  return values
}
