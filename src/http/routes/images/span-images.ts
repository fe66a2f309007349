import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import { IMAGE_BYTES_MAX, IMAGE_COUNTS_MAX, IMAGE_TYPES, imageTypeOf } from '../../../domain/span-image.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute, EncodedAnswer } from '../../route.ts'
import { imageName, imageParams, imagePath, readImageData, spanParams, toSpanIds } from './image-wire.ts'

/*
 * SDKs of the vendor take images in base64 out of prompts: they ask for an address, send the image there, and put the address
 * into the prompt. Without an answer they drop the whole prompt.
 */

export const nameImageRoute = defineRoute({
  method: 'POST',
  path: '/v2/traces/{trace_id}/spans/{span_id}/images',
  operationId: 'nameSpanImage',
  tag: 'Spans',
  summary: 'Get the address for an image of a span',
  description: 'The image is sent there with a POST, and read from there with a GET.',
  access: 'ingest',
  params: spanParams,
  body: z
    .object({ image_name: imageName.describe('Unique within the span.') })
    .meta({ id: 'ImageNameInput' }),
  bringsSpans: true,
  success: {
    status: 200,
    description: 'The address.',
    schema: z.object({ url: z.string() }).meta({ id: 'ImageAddress' }),
  },
  async handle({ params, body, origin }) {
    return { url: `${origin()}${imagePath({ ...toSpanIds(params), name: body.image_name })}` }
  },
})

export const uploadImageRoute = defineRoute({
  method: 'POST',
  path: '/v2/traces/{trace_id}/spans/{span_id}/images/{name}',
  operationId: 'uploadSpanImage',
  tag: 'Spans',
  summary: 'Send an image of a span',
  description:
    `PNG, JPEG, GIF or WebP of at most ${IMAGE_BYTES_MAX / 1_048_576} MiB; at most ${IMAGE_COUNTS_MAX.perSpan} for a span and ` +
    `${IMAGE_COUNTS_MAX.perTrace} for a trace. It is kept as long as spans, goes with its trace and counts as stored bytes. An ` +
    'image of a name that is there already is not replaced.',
  access: 'ingest',
  params: imageParams,
  body: z
    .object({ image_data: z.string().describe('The image in base64, or as a data URL.') })
    .meta({ id: 'ImageInput' }),
  bodyAs: 'bytes',
  bringsSpans: true,
  success: { status: 200, description: 'The image is kept.', schema: z.object({}) },
  errors: { 403: 'The key lacks the scope, or the organization has stored as much as it may.' },
  async handle({ principal, params, body }, { storage, clock }) {
    const bytes = readImageData(body)
    const type = imageTypeOf(bytes)
    if (!type) throw invalidInput(`image_data must be one of ${IMAGE_TYPES.join(', ')}`)
    const name = imageName.safeParse(params.name)
    if (!name.success) throw invalidInput(`name ${name.error.issues[0]?.message}`)
    const image = { ...toSpanIds(params), name: name.data, type, bytes }
    const outcome = await storage.addImage(principal, image, IMAGE_COUNTS_MAX, clock.nowMs())
    // An image of a deleted trace is answered as if it were kept, like its late spans: senders would repeat what is refused.
    if (outcome === 'full') {
      const { perSpan, perTrace } = IMAGE_COUNTS_MAX
      throw invalidInput(`a span has at most ${perSpan} images and a trace at most ${perTrace}`)
    }
    return {}
  },
})

export const readImageRoute = defineRoute({
  method: 'GET',
  path: '/v2/traces/{trace_id}/spans/{span_id}/images/{name}',
  operationId: 'readSpanImage',
  tag: 'Spans',
  summary: 'Read an image of a span',
  access: 'read',
  params: imageParams,
  success: { status: 200, description: 'The image.', contentType: [...IMAGE_TYPES] },
  errors: { 404: 'The project has no such image.' },
  async handle({ principal, params, setHeader }, { storage }) {
    const image = await storage.readImage(principal, { ...toSpanIds(params), name: params.name })
    if (!image) throw notFound('image not found')
    // Were it opened as a page by itself, nothing in it could run.
    setHeader('content-security-policy', "default-src 'none'; sandbox")
    return new EncodedAnswer(image.type, Buffer.from(image.bytes))
  },
})
