/**
 * Where a text that is not JSON goes wrong, for example ` at position 17 (line 1 column 18)`. The engine's own messages
 * quote the text, which must not reach a log or an answer, and often leave the place out; so it is looked for here.
 */
export function jsonFaultPlace(text: string): string {
  const position = jsonFaultPosition(text)
  if (position >= text.length) return ' at its end'
  const before = text.slice(0, position).split('\n')
  return ` at position ${position} (line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1})`
}

type Expects = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** The index of the first character that cannot be there; the length of the text when it only ends too early. */
export function jsonFaultPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let expects: Expects = 'value'
  const afterValue = (): Expects => (open.length > 0 ? 'comma or end' : 'nothing')
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const char = text.charAt(at)
    const isKey: boolean = expects === 'key' || expects === 'key or end'
    const isValue: boolean = expects === 'value' || expects === 'value or end'
    if ((char === '{' || char === '[') && isValue) {
      open.push(char)
      expects = char === '{' ? 'key or end' : 'value or end'
      at++
    } else if ((char === '}' || char === ']') && closes(char, open.at(-1), expects)) {
      open.pop()
      expects = afterValue()
      at++
    } else if (char === ',' && expects === 'comma or end') {
      expects = open.at(-1) === '{' ? 'key' : 'value'
      at++
    } else if (char === ':' && expects === 'colon') {
      expects = 'value'
      at++
    } else if (isKey || isValue) {
      const { end, isWhole } = scalar(text, at, isKey)
      if (!isWhole) return end
      expects = isKey ? 'colon' : afterValue()
      at = end
    } else {
      return at
    }
  }
  return text.length
}

function closes(char: string, opened: string | undefined, expects: Expects): boolean {
  if (char === '}') return opened === '{' && (expects === 'key or end' || expects === 'comma or end')
  return opened === '[' && (expects === 'value or end' || expects === 'comma or end')
}

/** A string, number or word: where it ends, and whether it is whole; if not, `end` is where it goes wrong. */
function scalar(text: string, start: number, isKey: boolean): { end: number; isWhole: boolean } {
  if (text.charAt(start) === '"') return string(text, start)
  const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
  pattern.lastIndex = start
  if (isKey || !pattern.test(text)) return { end: start, isWhole: false }
  return { end: pattern.lastIndex, isWhole: true }
}

function string(text: string, start: number): { end: number; isWhole: boolean } {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1, isWhole: true }
    if (code < 0x20) return { end: at, isWhole: false }
    if (code !== 0x5c) continue
    const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
    escaped.lastIndex = at
    if (!escaped.test(text)) return { end: at, isWhole: false }
    at = escaped.lastIndex - 1
  }
  return { end: text.length, isWhole: false }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++
  return at
}
