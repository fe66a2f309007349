import * as z from 'zod'
import { IMAGE_BYTES_MAX, IMAGE_TYPES, type SpanImage } from '../../../domain/span-image.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { parseStrictObject } from '../../../lib/strict-json.ts'
import type { StoredImage } from '../../../ports/image-storage.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'

const NAME_CHARS_MAX = 255

/** The name of an image as its sender gives it. It becomes a part of an address, so that neither `.` nor `..` will do. */
export const imageName = requiredName(NAME_CHARS_MAX).refine((name) => !/^\.{1,2}$/.test(name), {
  error: 'must not be . or ..',
})

/** Path of a span within its trace. */
export const spanParams = z.object({
  trace_id: z.string().describe('32 hex digits, or the same number in decimal digits.'),
  span_id: z.string().describe('16 hex digits; in decimal digits where the trace id is.'),
})

/** Path of one image. */
export const imageParams = spanParams.extend({
  name: boundedText(NAME_CHARS_MAX).describe('Percent-encoded.'),
})

/** An image in a list. */
export const imageOutput = z
  .object({
    name: z.string(),
    content_type: z.enum(IMAGE_TYPES),
    bytes: z.int().describe('Its size.'),
    path: z.string().describe('Where it is: a path of this service, to be read with a key.'),
  })
  .meta({ id: 'SpanImage' })

/** The address of an image, without the server. */
export function imagePath({ traceId, spanId, name }: Pick<SpanImage, 'traceId' | 'spanId' | 'name'>): string {
  return `/v2/traces/${traceId}/spans/${spanId}/images/${encodeURIComponent(name)}`
}

/** An image in the form of the wire. */
export function toWireImage(image: StoredImage): z.output<typeof imageOutput> {
  return { name: image.name, content_type: image.type, bytes: image.byteLength, path: imagePath(image) }
}

/**
 * The span that a path names. SDKs in Python write both ids as decimal numbers; a trace id of another length than 32 is taken
 * for one of these.
 */
export function toSpanIds(params: z.output<typeof spanParams>): Pick<SpanImage, 'traceId' | 'spanId'> {
  const isDecimal = params.trace_id.length !== 32
  return {
    traceId: toId(params.trace_id, 'trace_id', 32, isDecimal),
    spanId: toId(params.span_id, 'span_id', 16, isDecimal),
  }
}

function toId(text: string, field: string, digits: number, isDecimal: boolean): string {
  const hex = isDecimal && /^\d{1,39}$/.test(text) ? BigInt(text).toString(16).padStart(digits, '0') : text
  const isId = new RegExp(`^[0-9a-f]{${digits}}$`, 'i').test(hex) && !/^0+$/.test(hex)
  if (!isId) throw invalidInput(`${field} must be ${digits} hex digits`)
  return hex.toLowerCase()
}

/** A body that holds nothing else, as all senders write it. It is not read character by character. */
const PLAIN_BODY = /^\s*\{\s*"image_data"\s*:\s*"([^"\\]*)"\s*\}\s*$/
const DATA_URL = /^data:[^,]{0,255};base64,/
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** The bytes of an image in the body of an upload: base64, also behind the beginning of a data URL. */
export function readImageData(body: Uint8Array): Buffer {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  const given: unknown = PLAIN_BODY.exec(text)?.[1] ?? parseStrictObject(body)['image_data'] ?? undefined
  if (given === undefined) throw invalidInput('image_data is required')
  if (typeof given !== 'string') throw invalidInput('image_data must be a string')
  const encoded = given.slice(DATA_URL.exec(given)?.[0].length ?? 0)
  if (encoded === '' || !BASE64.test(encoded)) throw invalidInput('image_data must be base64')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length > IMAGE_BYTES_MAX)
    throw invalidInput(`image_data must be at most ${IMAGE_BYTES_MAX} bytes`)
  return bytes
}
