const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g
const HAS_ODD = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\uff01-\uff5e]/

/** The text as it reads: without invisible characters, full-width letters and signs as plain ones. Most texts stay as they are. */
export function foldLookalikes(text: string): string {
  if (!HAS_ODD.test(text)) return text
  return text
    .replace(INVISIBLE, '')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
}

/** Where each character of the folded text was before; undefined when none has moved. */
export function foldedOffsets(text: string): Uint32Array | undefined {
  if (text.search(INVISIBLE) === -1) return undefined
  const offsets: number[] = []
  for (let at = 0; at < text.length; at++) if (text.charAt(at).search(INVISIBLE) === -1) offsets.push(at)
  offsets.push(text.length)
  return Uint32Array.from(offsets)
}
