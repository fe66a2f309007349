import { regularShare } from './text-shape.ts'

const BYTES_MIN = 8
const BYTES_MAX = 128
const LIST_START =
  /(?:\[\][ ]?byte|new byte\[\]|bytes|bytearray|Uint8Array\.(?:from|of)|new Uint8Array|byteArrayOf|b)?[ \t]{0,4}\(?[ \t]{0,4}[[{(][ \t]{0,4}/y
const ELEMENT = /(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,12},[ \t]{0,12}|[ \t]{0,4}(?=[\]})]))/iy

/** True when a list of at least eight bytes begins there that does not just count: a key written number by number. */
export function findsByteList(text: string, at: number): boolean {
  LIST_START.lastIndex = at
  const start = LIST_START.exec(text)
  if (!start) return false
  const bytes: number[] = []
  let place = at + start[0].length
  while (bytes.length < BYTES_MAX) {
    ELEMENT.lastIndex = place
    const element = ELEMENT.exec(text)?.[0]
    if (element === undefined) break
    bytes.push(Number.parseInt(element, element.startsWith('0x') ? 16 : 10))
    place += element.length
  }
  if (bytes.length < BYTES_MIN) return false
  return regularShare(String.fromCharCode(...bytes)) < 0.5
}
