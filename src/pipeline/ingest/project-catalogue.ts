import { compileMatcher, type Matcher } from '../../domain/selector-matcher.ts'
import { addUnit, emptyUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { finish, type Sliced, sliceTimer } from '../../lib/sliced.ts'
import type { CatalogueChange, CatalogueSetup, PackedBatch } from '../../ports/span-storage.ts'

/** How long spans are matched before others have their turn. */
const SLICE_MS = 10

/**
 * The setups of one project at one revision, compiled. A setup sees the spans of its own environment only, so that each
 * environment has a matcher of its own.
 */
export class ProjectCatalogue {
  #revision: number
  readonly #matchers = new Map<string, Matcher<number>>()
  readonly #setups = new Map<string, CatalogueSetup>()

  constructor(whole: CatalogueChange) {
    this.#revision = whole.revision
    this.follow(whole)
  }

  /** The revision that the decisions of `match` are made with. */
  get revision(): number {
    return this.#revision
  }

  get setupCount(): number {
    return this.#setups.size
  }

  /** Becomes what the project's setups are at a later revision. */
  follow({ revision, current, endedSetupIds }: CatalogueChange): void {
    for (const setupId of endedSetupIds) this.#end(setupId)
    for (const setup of current) {
      this.#end(setup.setupId)
      this.#setups.set(setup.setupId, { ...setup, selector: [] })
      this.#matcherOf(setup.envProjectId).set({ id: setup.setupVersion, selector: setup.selector })
    }
    this.#revision = revision
  }

  /** Which spans, by their place in the list, each setup version of the environment matches. */
  match(envProjectId: string, spans: readonly SpanView[]): PackedBatch['matches'] {
    return finish(this.matchInSlices(envProjectId, spans))
  }

  /** The same, a slice after the other. The setups must not change meanwhile. */
  *matchInSlices(envProjectId: string, spans: readonly SpanView[]): Sliced<PackedBatch['matches']> {
    const matcher = this.#matchers.get(envProjectId)
    if (!matcher) return []
    const found = new Map<number, UnitSet>()
    const isSliceOver = sliceTimer(SLICE_MS)
    for (const [ordinal, span] of spans.entries()) {
      for (const setupVersion of matcher.match(span)) {
        let units = found.get(setupVersion)
        if (!units) {
          units = emptyUnits(spans.length)
          found.set(setupVersion, units)
        }
        addUnit(units, ordinal)
      }
      if (isSliceOver()) yield
    }
    return Array.from(found, ([setupVersion, units]) => ({ setupVersion, units }))
  }

  #end(setupId: string): void {
    const ended = this.#setups.get(setupId)
    if (!ended) return
    this.#setups.delete(setupId)
    this.#matchers.get(ended.envProjectId)?.delete(ended.setupVersion)
  }

  #matcherOf(envProjectId: string): Matcher<number> {
    const known = this.#matchers.get(envProjectId)
    if (known) return known
    const matcher = compileMatcher<number>([])
    this.#matchers.set(envProjectId, matcher)
    return matcher
  }
}
