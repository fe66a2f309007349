import {
  type RecognizedApplication,
  recognizeApplication,
} from '../../domain/application/recognize-application.ts'
import type { SelectorRule } from '../../domain/selector.ts'
import { compileMatcher } from '../../domain/selector-matcher.ts'
import type { Setup } from '../../domain/setup.ts'
import type { Principal } from '../../domain/tenant.ts'
import type { AttributeSource } from '../../lib/otlp/span.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Storage } from '../../ports/storage.ts'
import { type EntryEvaluatorDeps, loadEntryEvaluators } from '../entry-evaluators.ts'
import {
  type ApplicationSample,
  type SampledApplication,
  type SamplingDeps,
  sampleApplications,
} from './sample-applications.ts'
import { type SuggestDeps, type Suggestion, selectorOf, suggestEvaluators } from './suggest-evaluators.ts'

/** Applications that are told apart; those with the most traces are. */
export const APPLICATIONS_MAX = 5
/** All previews of one look together; evaluators that are not done by then show none. */
const PREVIEW_MS_MAX = 10_000
/** For so long what was found is told again: pages ask every few seconds, and traces change slowly. */
const KEPT_MS = 20_000
/** Environments whose suggestions are kept. */
const KEPT_MAX = 100
/** Setups that are compared with what would be suggested. */
const SETUPS_MAX = 200
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const NAME_CHARS_MAX = 60

/** An application, what it is, and evaluators that fit it. */
export interface ApplicationSuggestions extends RecognizedApplication {
  readonly serviceName?: string
  readonly traceCount: number
  readonly spanCount: number
  readonly tracesPerDay: number
  readonly selector: readonly SelectorRule[]
  /** A name for the setup that the project does not use yet. */
  readonly externalId: string
  /** The setups that match its spans already. */
  readonly setups: readonly string[]
  readonly suggestions: readonly Suggestion[]
}

/** Everything that a look at the newest traces suggests. */
export interface SuggestionReport {
  readonly spanCount: number
  /** Whether the sample holds every stored span. */
  readonly isComplete: boolean
  readonly applications: readonly ApplicationSuggestions[]
}

/** The dependencies of suggestions. */
export interface SuggestionsDeps
  extends Omit<SamplingDeps, 'storage'>,
    Omit<SuggestDeps, 'storage'>,
    Omit<EntryEvaluatorDeps, 'storage'> {
  readonly storage: Storage
  readonly clock: Clock
}

interface Kept {
  readonly untilMs: number
  readonly report: Promise<SuggestionReport>
}

/** Looks at the newest traces of an environment and suggests what to evaluate about them. Writes nothing and asks no provider. */
export class Suggestions {
  readonly #deps: SuggestionsDeps
  readonly #kept = new Map<string, Kept>()

  constructor(deps: SuggestionsDeps) {
    this.#deps = deps
  }

  /** A look that is under way, or was made a moment ago, serves all who ask. */
  async read(who: Principal): Promise<SuggestionReport> {
    const { clock, storage } = this.#deps
    const setups = await storage.listSetups(who, { limit: SETUPS_MAX })
    // What is set up must not be suggested again, not even for a moment.
    const key = JSON.stringify([who.envProjectId, ...setups.map(({ id, version }) => [id, version])])
    const kept = this.#kept.get(key)
    if (kept && clock.nowMs() < kept.untilMs) return kept.report
    const report = this.#look(who, setups)
    this.#kept.set(key, { untilMs: clock.nowMs() + KEPT_MS, report })
    // Nothing yet, or a fault: the next one who asks looks again.
    report.then(
      ({ applications }) => applications.length === 0 && this.#kept.delete(key),
      () => this.#kept.delete(key),
    )
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
    return report
  }

  async #look(who: Principal, setups: readonly Setup[]): Promise<SuggestionReport> {
    const sample = await sampleApplications(this.#deps, who, APPLICATIONS_MAX)
    const signal = AbortSignal.timeout(PREVIEW_MS_MAX)
    const names = new Set(setups.map(({ externalId }) => externalId))
    const applications: ApplicationSuggestions[] = []
    for (const application of sample.applications) {
      applications.push(await this.#suggest(who, application, { sample, setups, names, signal }))
    }
    return { spanCount: sample.spanCount, isComplete: sample.isComplete, applications }
  }

  async #suggest(
    who: Principal,
    application: SampledApplication,
    look: {
      readonly sample: ApplicationSample
      readonly setups: readonly Setup[]
      readonly names: Set<string>
      readonly signal: AbortSignal
    },
  ): Promise<ApplicationSuggestions> {
    const { serviceName, traceCount, spanCount } = application
    const own = look.setups.filter(
      (setup) => setup.envProjectId === who.envProjectId && matches(setup, application),
    )
    const tracesPerDay = perDay(application, this.#deps.clock.nowMs())
    const suggestions = await suggestEvaluators(this.#deps, who, application, {
      find: await loadEntryEvaluators(this.#deps, who, []),
      known: new Set(own.flatMap(({ entries }) => entries.map(({ slug }) => slug))),
      tracesPerDay,
      signal: look.signal,
    })
    const externalId = freeName(serviceName, look.names)
    look.names.add(externalId)
    return {
      ...recognizeApplication(application.traces),
      ...(serviceName === undefined ? {} : { serviceName }),
      ...{ traceCount, spanCount, tracesPerDay, externalId, suggestions },
      selector: selectorOf(application),
      setups: own.map((setup) => setup.externalId),
    }
  }
}

/** Whether a setup selects a span of the sample, by the matcher that serves. */
function matches({ id, selector }: Setup, { spans }: SampledApplication): boolean {
  const matcher = compileMatcher([{ id, selector }])
  return spans.some(({ span }) => {
    const attribute = (source: AttributeSource, key: string) =>
      (source === 'span_attributes' ? span.attributes : span.resource).get(key)
    return matcher.match({ attribute }).length > 0
  })
}

/** At least an hour counts, or the first minute of an application would be told as a storm. */
function perDay({ traceCount, fromMs }: SampledApplication, nowMs: number): number {
  return Math.round((traceCount * DAY_MS) / Math.max(nowMs - fromMs, HOUR_MS))
}

function freeName(serviceName: string | undefined, taken: ReadonlySet<string>): string {
  const base = (serviceName ?? 'application')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARS_MAX)
    .replace(/^-+|-+$/g, '')
  const name = `${base || 'application'}-quality`
  for (let at = 1; ; at++) {
    const candidate = at === 1 ? name : `${name}-${at}`
    if (!taken.has(candidate)) return candidate
  }
}
