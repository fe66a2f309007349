/**
 * The test that decides whether a pass rate has really changed: the generalized likelihood ratio of a change point in hourly
 * binomial counts (Lorden 1971, Siegmund and Venkatraman 1995). docs/incidents.md states how it was measured.
 *
 * For every hour that could be the first of the change, the counts before and after it are explained once by two rates and once by
 * one; the logarithm of the ratio of both likelihoods is the evidence, and the hour with the most evidence is the onset. Hours
 * differ by more than chance when calls of one trace fail together or when the rate follows the time of day, so the evidence is
 * divided by the dispersion of the hours around their rates.
 *
 * A likelihood ratio exceeds e^c by chance with a probability of at most e^-c, however often it is looked at. So repeated looks at
 * the same hour need no correction; new hours and the number of series do.
 */

/** Judged units of a stretch of time. */
export interface JudgedCounts {
  readonly pass: number
  readonly fail: number
}

/** Judged units that began in one hour, or in one minute. */
export interface TimedCounts extends JudgedCounts {
  readonly startMs: number
}

/** A change of the pass rate. */
export interface RateChange {
  /** When the first hour of the change began. */
  readonly onsetMs: number
  readonly before: JudgedCounts
  readonly after: JudgedCounts
  /** The logarithm of the likelihood ratio of two rates to one. */
  readonly logRatio: number
  /** How much more the hours differ than those of independent units would; at least 1. */
  readonly dispersion: number
}

/** Judged units that both sides of a change must have: a rate of fewer says little. */
export const BEFORE_UNITS_MIN = 50
export const AFTER_UNITS_MIN = 20
/** The smallest fall that is an incident, as a share of all units. A smaller one is not worth waking anybody, however certain. */
export const FALL_MIN = 0.05
/** Chance of a false incident that a project accepts in a day. */
export const FALSE_CHANCE_MAX = 0.01
/** Every hour is a place where a change can begin. */
const ONSETS_PER_DAY = 24
/** Both rates are estimated from the same counts, which costs a factor that simulation shows to be smaller than this. */
const ESTIMATION_FACTOR = 100
/** The certainty that a rate has come back needs no protection against many series: only those of an incident are looked at. */
const FALSE_RECOVERY_MAX = 0.01
/** A rate has come back when it is within this share of the fall of its old value, or within `FALL_MIN`. */
const REMAINING_FALL_MAX = 0.25
/** A few hours say little about how much hours differ; they are taken together with so many hours of this dispersion. */
const PRIOR_HOURS = 6
/** Less than a day does not show how the rate follows the time of day, so hours are taken to differ by more than they did. */
const NEW_SERIES_DISPERSION = 3
const DAY_MS = 86_400_000
const PRIOR_DISPERSION = 1.5

/** The share of units that pass; undefined where nothing was judged. */
export function passRate({ pass, fail }: JudgedCounts): number | undefined {
  return pass + fail > 0 ? pass / (pass + fail) : undefined
}

/** The chance that a stable project has an incident with this much evidence in a day, for its number of series. */
export function falseChance(evidence: number, seriesCount: number): number {
  return Math.min(1, ONSETS_PER_DAY * ESTIMATION_FACTOR * Math.max(1, seriesCount) * Math.exp(-evidence))
}

/** The most likely onset of a fall; undefined where none is large enough. Its evidence may still be weak. */
export function findFall(hours: readonly TimedCounts[]): RateChange | undefined {
  const fall = strongest(hours, (before, after) => {
    const areEnough = sizeOf(before) >= BEFORE_UNITS_MIN && sizeOf(after) >= AFTER_UNITS_MIN
    return areEnough && before.pass / sizeOf(before) - after.pass / sizeOf(after) >= FALL_MIN
  })
  const firstMs = hours.find((hour) => sizeOf(hour) > 0)?.startMs ?? 0
  if (!fall || fall.onsetMs - firstMs >= DAY_MS) return fall
  return { ...fall, dispersion: fall.dispersion * NEW_SERIES_DISPERSION }
}

/** Whether a fall is more than chance. `designEffect` is the dispersion that the traces of the units show. */
export function isRealFall(fall: RateChange, seriesCount: number, designEffect = 1): boolean {
  return falseChance(evidenceOf(fall, designEffect), seriesCount) <= FALSE_CHANCE_MAX
}

/** The evidence for a change: its likelihood ratio by the larger of both measures of dispersion. */
export function evidenceOf({ logRatio, dispersion }: RateChange, designEffect = 1): number {
  return logRatio / Math.max(dispersion, designEffect)
}

/**
 * When the rate came back after a fall; undefined where it has not, or where too little was judged since. The hours are those since
 * the onset.
 */
export function findRecovery(
  hours: readonly TimedCounts[],
  { before, after }: Pick<RateChange, 'before' | 'after'>,
): RateChange | undefined {
  const good = passRate(before)
  const bad = passRate(after)
  if (good === undefined || bad === undefined) return undefined
  const wanted = good - Math.max(FALL_MIN, REMAINING_FALL_MAX * (good - bad))
  const rise = strongest(hours, (worse, recent) => {
    const rate = recent.pass / sizeOf(recent)
    return sizeOf(recent) >= AFTER_UNITS_MIN && rate >= wanted && rate > (passRate(worse) ?? 1)
  })
  if (!rise) return undefined
  return falseChance(evidenceOf(rise), 1) <= FALSE_RECOVERY_MAX ? rise : undefined
}

/**
 * The minute in which a fall began, given both rates: the one that makes the counts most likely. The minutes are those around the
 * first hour of the change, in order of time.
 */
export function refineOnset(
  minutes: readonly TimedCounts[],
  { onsetMs, before, after }: Pick<RateChange, 'onsetMs' | 'before' | 'after'>,
): number {
  const good = clampRate(passRate(before) ?? 1)
  const bad = clampRate(passRate(after) ?? 0)
  const gain = ({ pass, fail }: JudgedCounts) =>
    pass * Math.log(bad / good) + fail * Math.log((1 - bad) / (1 - good))
  let [best, bestMs, sum] = [Number.NEGATIVE_INFINITY, onsetMs, 0]
  for (const minute of minutes.toReversed()) {
    sum += gain(minute)
    if (sum > best) [best, bestMs] = [sum, minute.startMs]
  }
  return bestMs
}

/** A rate of 0 or 1 would make a single exception impossible. */
function clampRate(rate: number): number {
  return Math.min(0.999, Math.max(0.001, rate))
}

type IsCandidate = (before: JudgedCounts, after: JudgedCounts) => boolean

/** The split with the largest likelihood ratio among those that are candidates. */
function strongest(hours: readonly TimedCounts[], isCandidate: IsCandidate): RateChange | undefined {
  const all = addCounts(hours)
  let best: { at: number; ratio: number; before: JudgedCounts; after: JudgedCounts } | undefined
  let [pass, fail] = [0, 0]
  for (const [at, hour] of hours.entries()) {
    const before = { pass, fail }
    const after = { pass: all.pass - pass, fail: all.fail - fail }
    pass += hour.pass
    fail += hour.fail
    if (sizeOf(hour) === 0 || !isCandidate(before, after)) continue
    const ratio = logLikelihood(before) + logLikelihood(after) - logLikelihood(all)
    if (!best || ratio > best.ratio) best = { at, ratio, before, after }
  }
  if (!best) return undefined
  const { at, ratio, before, after } = best
  const onsetMs = (hours[at] as TimedCounts).startMs
  const dispersion = dispersionOf([hours.slice(0, at), hours.slice(at)])
  return { onsetMs, before, after, logRatio: ratio, dispersion }
}

/** The largest logarithm of the likelihood that one rate can give these counts. */
function logLikelihood({ pass, fail }: JudgedCounts): number {
  const size = pass + fail
  const term = (part: number) => (part === 0 ? 0 : part * Math.log(part / size))
  return term(pass) + term(fail)
}

/** How much more the hours of each part differ from the rate of their part than single calls would (Pearson); at least 1. */
function dispersionOf(parts: readonly (readonly TimedCounts[])[]): number {
  let [squares, freedom] = [PRIOR_HOURS * PRIOR_DISPERSION, PRIOR_HOURS]
  for (const part of parts) {
    const rate = passRate(addCounts(part))
    if (rate === undefined || rate === 0 || rate === 1) continue
    const judged = part.filter((hour) => sizeOf(hour) > 0)
    for (const { pass, fail } of judged) {
      const size = pass + fail
      squares += (pass - size * rate) ** 2 / (size * rate * (1 - rate))
    }
    freedom += judged.length - 1
  }
  return Math.max(1, squares / freedom)
}

/** The sum of counts. */
export function addCounts(counts: readonly JudgedCounts[]): { pass: number; fail: number } {
  const sum = { pass: 0, fail: 0 }
  for (const { pass, fail } of counts) {
    sum.pass += pass
    sum.fail += fail
  }
  return sum
}

function sizeOf({ pass, fail }: JudgedCounts): number {
  return pass + fail
}
