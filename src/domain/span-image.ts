/** Most bytes of one image. */
export const IMAGE_BYTES_MAX = 8_388_608

/** Most images of one span, and of all spans of one trace. */
export const IMAGE_COUNTS_MAX = { perSpan: 50, perTrace: 500 }

/**
 * Formats that every browser shows and that hold no script, each with the bytes it begins with, in Latin-1. A dot stands for
 * any byte.
 */
const FORMATS: readonly { readonly type: ImageType; readonly begins: string }[] = [
  { type: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', begins: 'GIF87a' },
  { type: 'image/gif', begins: 'GIF89a' },
  { type: 'image/webp', begins: 'RIFF....WEBP' },
]

/** How many bytes tell the format. */
const HEAD_BYTES = 12

/** The formats of images that are kept. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** An image of a span, by the names that its sender gave. */
export interface SpanImage {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly type: ImageType
  readonly bytes: Uint8Array
}

/** The format of an image by its own bytes, whatever its name says; undefined where it is none that is kept. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString(
    'latin1',
  )
  const isBeginning = (begins: string) =>
    head.length >= begins.length && [...begins].every((char, at) => char === '.' || char === head[at])
  return FORMATS.find(({ begins }) => isBeginning(begins))?.type
}
