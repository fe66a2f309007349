/** Encodings that answers are compressed with. */
export type ContentCoding = 'br' | 'gzip'

const QUALITY = String.raw`\s*(;\s*q=(1|0\.\d*[1-9]\d*).*)?$`
const PATTERNS: Readonly<Record<ContentCoding, RegExp>> = {
  br: new RegExp(String.raw`^\s*br${QUALITY}`),
  gzip: new RegExp(String.raw`^\s*(x-)?gzip${QUALITY}`),
}

/** Whether a client takes answers in this encoding; it has to name it. */
export function takesCoding(acceptEncoding: string | string[] | undefined, coding: ContentCoding): boolean {
  return String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .some((each) => PATTERNS[coding].test(each))
}
