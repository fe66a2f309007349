import { Buffer } from 'node:buffer'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { QueuedRequest } from '../../ports/span-stream.ts'

/** The form of the bytes below. A program that does not know it parks the message, and a newer one can replay it. */
const FORM = 1
/** The form of a message with content of spans, which an earlier program must not take for spans. */
const CONTENT_FORM = 2
/** The form, then the length of the description in four bytes. */
const PREFIX_BYTES = 5

/** Messages call the tenant `scope`, in every version. */
type Description = Omit<QueuedRequest, 'bytes' | 'tenant' | 'isContent'> & {
  readonly scope: EnvironmentTenant
}

/** A request as the bytes of a message: a description of it in JSON, then the packed spans. */
export function encodeEnvelope({ bytes, tenant, isContent, ...rest }: QueuedRequest): Uint8Array {
  const { orgId, projectId, envProjectId } = tenant
  const described: Description = { ...rest, scope: { orgId, projectId, envProjectId } }
  const description = Buffer.from(JSON.stringify(described))
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt8(isContent ? CONTENT_FORM : FORM)
  prefix.writeUInt32BE(description.length, 1)
  return Buffer.concat([prefix, description, bytes])
}

/** The request in the bytes of a message; throws when they are none. */
export function decodeEnvelope(message: Uint8Array): QueuedRequest {
  const buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (buffer.length < PREFIX_BYTES) throw new Error('the message is cut off')
  const form = buffer.readUInt8()
  if (form !== FORM && form !== CONTENT_FORM)
    throw new Error(`the message has the form ${form}, which this version does not know`)
  const bytesFrom = PREFIX_BYTES + buffer.readUInt32BE(1)
  if (bytesFrom > buffer.length) throw new Error('the message is cut off')
  const described = JSON.parse(buffer.toString('utf8', PREFIX_BYTES, bytesFrom))
  if (!isDescription(described)) throw new Error('the description of the message is not one')
  const { scope, ...rest } = described
  const isContent = form === CONTENT_FORM ? ({ isContent: true } as const) : {}
  return { ...rest, ...isContent, tenant: scope, bytes: buffer.subarray(bytesFrom) }
}

function isDescription(value: unknown): value is Description {
  const { scope, receivedAtMs, byteLength, knownFaults } = Object(value) as Partial<Description>
  const owner = Object(scope) as Partial<EnvironmentTenant>
  return (
    [owner.orgId, owner.projectId, owner.envProjectId].every((id) => typeof id === 'string') &&
    isCount(receivedAtMs) &&
    isCount(byteLength) &&
    Array.isArray(knownFaults) &&
    knownFaults.every(isCount)
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
