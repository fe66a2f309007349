import { textAt } from './shared-texts.ts'
import type { Attributes } from './span.ts'
import { readAttributes } from './value-reader.ts'
import type { WireReader } from './wire-reader.ts'

/** A range of bytes of a batch. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Field 1 of a Resource. */
export const RESOURCE_ATTRIBUTES = 0x0a

/** One ResourceSpans message of a batch: what its spans share. */
export class ResourceContext {
  readonly reader: WireReader
  readonly range: ByteRange
  /** Where its Resource is; a sender may split it, and the parts are merged. */
  readonly resourceRanges: readonly ByteRange[]
  /** Why none of its spans can be kept; undefined when nothing is wrong. */
  readonly reason: string | undefined
  #attributes: Attributes | undefined

  constructor(
    reader: WireReader,
    range: ByteRange,
    resourceRanges: readonly ByteRange[],
    reason: string | undefined,
  ) {
    this.reader = reader
    this.range = range
    this.resourceRanges = resourceRanges
    this.reason = reason
  }

  /** The attributes of the resource, decoded once. */
  get attributes(): Attributes {
    this.#attributes ??= readAttributes(this.reader, this.resourceRanges, RESOURCE_ATTRIBUTES)
    return this.#attributes
  }
}

/** One ScopeSpans message of a ResourceSpans. */
export class ScopeContext {
  readonly resource: ResourceContext
  readonly range: ByteRange
  readonly scopeRanges: readonly ByteRange[]
  readonly reason: string | undefined
  #scope: { readonly name: string; readonly version: string } | undefined

  constructor(
    resource: ResourceContext,
    range: ByteRange,
    scopeRanges: readonly ByteRange[],
    reason: string | undefined,
  ) {
    this.resource = resource
    this.range = range
    this.scopeRanges = scopeRanges
    this.reason = reason
  }

  /** Name and version of the instrumentation, decoded once. */
  get scope(): { readonly name: string; readonly version: string } {
    this.#scope ??= readScope(this.resource.reader, this.scopeRanges)
    return this.#scope
  }
}

function readScope(reader: WireReader, ranges: readonly ByteRange[]): { name: string; version: string } {
  const scope = { name: '', version: '' }
  for (const { start, end } of ranges) {
    reader.at = start
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag !== 0x0a && tag !== 0x12) {
        reader.skip(tag, end)
        continue
      }
      const blockEnd = reader.block(end)
      scope[tag === 0x0a ? 'name' : 'version'] = textAt(reader, reader.at, blockEnd)
      reader.at = blockEnd
    }
  }
  return scope
}
