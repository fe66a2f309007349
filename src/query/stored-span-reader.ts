import { setImmediate } from 'node:timers/promises'
import type { ProjectTenant } from '../domain/tenant.ts'
import { attachContents, idsOfSpans } from '../lib/otlp/attach-contents.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'

/** Batches that are asked for at once. */
const BATCHES_AT_ONCE = 8
/** Unpacked batches that are kept while a page is made, in bytes; spans that follow each other often lie in the same ones. */
const KEPT_BYTES_MAX = 33_554_432
/** Unpacking this many bytes is enough for one page, wherever a page can end early. */
export const UNPACKED_BYTES_MAX = 33_554_432

/** Where a span lies. */
export interface SpanPlace {
  readonly batchId: number
  readonly ordinal: number
}

interface Unpacked {
  readonly envProjectId: string
  readonly byteLength: number
  readonly spans: readonly SpanView[]
}

/** A stored span that has been found again. */
export interface FoundSpan {
  readonly envProjectId: string
  readonly view: SpanView
}

/**
 * Reads stored spans again while one request is answered. Batches are unpacked one after the other, and others get their
 * turn on the event loop between them.
 */
export class StoredSpanReader {
  readonly #storage: SpanStorage
  readonly #contents: Pick<ContentStorage, 'readContents'> | undefined
  readonly #tenant: ProjectTenant
  readonly #kept = new Map<number, Unpacked | undefined>()
  #keptBytes = 0
  #unpackedBytes = 0

  /** With `contents` spans have the events that came as logs. */
  constructor(storage: SpanStorage, tenant: ProjectTenant, contents?: Pick<ContentStorage, 'readContents'>) {
    this.#storage = storage
    this.#tenant = tenant
    this.#contents = contents
  }

  /** How much it has unpacked so far: what reading spans costs, unlike the bytes of the spans that were wanted. */
  get unpackedBytes(): number {
    return this.#unpackedBytes
  }

  /**
   * Calls `visit` with one place after the other for as long as it answers true; the span is undefined where it is no
   * longer kept.
   */
  async each<Place extends SpanPlace>(
    places: readonly Place[],
    visit: (place: Place, span: FoundSpan | undefined) => boolean,
  ): Promise<void> {
    for (let at = 0; at < places.length; ) {
      const ids = distinctBatches(places, at)
      await this.#load(ids)
      const wanted = new Set(ids)
      await this.#addContents(places, at, wanted)
      for (; at < places.length && wanted.has((places[at] as Place).batchId); at++) {
        const place = places[at] as Place
        const batch = this.#kept.get(place.batchId)
        const view = batch?.spans[place.ordinal]
        const span = batch && view && { envProjectId: batch.envProjectId, view }
        if (!visit(place, span)) return
      }
      await setImmediate()
    }
  }

  /** Gives the next spans, those of the batches that are wanted, the events that came as logs. */
  async #addContents(places: readonly SpanPlace[], from: number, wanted: ReadonlySet<number>): Promise<void> {
    if (!this.#contents) return
    const end = places.findIndex(({ batchId }, at) => at >= from && !wanted.has(batchId))
    const views = places
      .slice(from, end < 0 ? undefined : end)
      .flatMap(({ batchId, ordinal }) => this.#kept.get(batchId)?.spans[ordinal] ?? [])
    attachContents(views, await this.#contents.readContents(this.#tenant, idsOfSpans(views)))
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#kept.has(id))
    const batches = missing.length > 0 ? await this.#storage.readBatches(this.#tenant, missing) : []
    this.#makeRoom(
      batches.reduce((sum, { byteLength }) => sum + byteLength, 0),
      ids,
    )
    for (const id of missing) this.#kept.set(id, undefined)
    for (const batch of batches) {
      const { batchId, envProjectId, byteLength } = batch
      const spans = await unpackSpans(batch)
      this.#kept.set(batchId, { envProjectId, byteLength, spans })
      this.#keptBytes += byteLength
      this.#unpackedBytes += byteLength
    }
  }

  /** Forgets the batches that were loaded first, but none that is wanted now. */
  #makeRoom(bytes: number, wanted: readonly number[]): void {
    for (const [id, batch] of this.#kept) {
      if (this.#keptBytes + bytes <= KEPT_BYTES_MAX) return
      if (wanted.includes(id)) continue
      this.#kept.delete(id)
      this.#keptBytes -= batch?.byteLength ?? 0
    }
  }
}

/** The batches of the next places, as many as are loaded together. */
function distinctBatches(places: readonly SpanPlace[], from: number): number[] {
  const ids = new Set<number>()
  for (let at = from; at < places.length && ids.size < BATCHES_AT_ONCE; at++) {
    ids.add((places[at] as SpanPlace).batchId)
  }
  return [...ids]
}
