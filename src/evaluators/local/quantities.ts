/** A number of a text and what it counts. */
export interface Quantity {
  /** As it is written, whatever it counts. */
  readonly amount: number
  /** In the base of its dimension: metres, kilograms, seconds, ... */
  readonly value: number
  /** `length`, `mass`, `percent`, `usd`, ...; absent for a bare number or an unknown unit. */
  readonly dimension?: string
}

const SMALL =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen`.split(/\s+/)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1_000,
  k: 1_000,
  million: 1e6,
  mn: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  dozen: 12,
}
const WORD_VALUES = new Map<string, number>([
  ...SMALL.map((word, at) => [word, at] as const),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
])

// Names of a unit, its dimension and how much of the base it is.
const UNITS: readonly (readonly [names: string, dimension: string, factor: number])[] = [
  ['mm millimeter millimeters millimetre millimetres', 'length', 0.001],
  ['cm centimeter centimeters centimetre centimetres', 'length', 0.01],
  ['m meter meters metre metres', 'length', 1],
  ['km kilometer kilometers kilometre kilometres', 'length', 1_000],
  ['inch inches', 'length', 0.0254],
  ['ft foot feet', 'length', 0.3048],
  ['yd yard yards', 'length', 0.9144],
  ['mi mile miles', 'length', 1_609.344],
  ['mg milligram milligrams', 'mass', 1e-6],
  ['g gram grams', 'mass', 0.001],
  ['kg kilogram kilograms kilo kilos', 'mass', 1],
  ['tonne tonnes', 'mass', 1_000],
  ['lb lbs pound pounds', 'mass', 0.45359237],
  ['oz ounce ounces', 'mass', 0.028349523125],
  ['ms millisecond milliseconds', 'time', 0.001],
  ['s sec secs second seconds', 'time', 1],
  ['min mins minute minutes', 'time', 60],
  ['h hr hrs hour hours', 'time', 3_600],
  ['day days', 'time', 86_400],
  ['week weeks', 'time', 604_800],
  ['month months', 'month', 1],
  ['year years yr yrs', 'month', 12],
  ['decade decades', 'month', 120],
  ['century centuries', 'month', 1_200],
  ['% percent pct', 'percent', 1],
  ['$ usd dollar dollars', 'usd', 1],
  ['¢ cent cents', 'usd', 0.01],
  ['€ eur euro euros', 'eur', 1],
  ['£ gbp', 'gbp', 1],
  ['°c celsius', 'celsius', 1],
  ['°f fahrenheit', 'fahrenheit', 1],
  ['ml milliliter milliliters millilitre millilitres', 'volume', 0.001],
  ['l liter liters litre litres', 'volume', 1],
  ['kb', 'bytes', 1e3],
  ['mb', 'bytes', 1e6],
  ['gb', 'bytes', 1e9],
  ['tb', 'bytes', 1e12],
]
const UNIT_BY_NAME = new Map(
  UNITS.flatMap(([names, dimension, factor]) =>
    names.split(' ').map((name) => [name, { dimension, factor }] as const),
  ),
)

const WORD = [...WORD_VALUES.keys()].join('|')
const SCALE = Object.keys(SCALES).join('|')
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}])([$€£])?\\s?(-?\\d{1,3}(?:,\\d{3}){1,6}(?:\\.\\d+)?|-?\\d+(?:\\.\\d+)?|\\.\\d+|(?:${WORD}|${SCALE})(?:[\\s-]+(?:and\\s+)?(?:${WORD}|${SCALE})){0,12})` +
    `(?:st|nd|rd|th)?(?:\\s*-?(${SCALE}))?(?![\\p{L}\\p{N}])(?:[\\s-]?(%|°[cf]|¢|\\p{L}{1,12}))?`,
  'giu',
)
const NUMBER_WITH_SHORT_UNIT =
  /(?<=\d)(?=(?:mm|cm|km|kg|mg|ms|m|g|kb|mb|gb|tb|ml|k|mn|bn|h|l|ft|lbs?|oz)(?![\p{L}\p{N}]))/giu

/** The numbers of a text, in digits or in English words, with their units, in order. */
export function quantitiesOf(text: string): Quantity[] {
  return readAll(text).map(({ quantity }) => quantity)
}

/** The number that a text consists of, with its unit; undefined when it says anything else. */
export function wholeQuantity(text: string): Quantity | undefined {
  const [first, ...more] = readAll(text.trim().replace(/[.!?]+$/, ''))
  return first?.isWhole && more.length === 0 ? first.quantity : undefined
}

function readAll(text: string): { quantity: Quantity; isWhole: boolean }[] {
  const found: { quantity: Quantity; isWhole: boolean }[] = []
  const spaced = text.replaceAll(/\s+/g, ' ').replaceAll(NUMBER_WITH_SHORT_UNIT, ' ')
  for (const match of spaced.matchAll(NUMBER)) {
    const [whole, currency, number = '', scale, word = ''] = match
    const value = numberFrom(number) * (scale === undefined ? 1 : (SCALES[scale.toLowerCase()] ?? 1))
    if (!Number.isFinite(value)) continue
    const unit = UNIT_BY_NAME.get(currency ?? word.toLowerCase())
    const isRead = word === '' || (currency === undefined && unit !== undefined)
    found.push({
      quantity: {
        amount: value,
        value: value * (unit?.factor ?? 1),
        ...(unit ? { dimension: unit.dimension } : {}),
      },
      isWhole: isRead && whole.length === spaced.length,
    })
  }
  return found
}

/**
 * Whether two numbers can be the same: equal up to rounding of the calculation, and of no different dimension. A bare number
 * is compared with what is written beside the other one's unit.
 */
export function sameQuantity(left: Quantity, right: Quantity): boolean {
  if (left.dimension === undefined || right.dimension === undefined) return isClose(left.amount, right.amount)
  return left.dimension === right.dimension && isClose(left.value, right.value)
}

function isClose(left: number, right: number): boolean {
  return Math.abs(left - right) <= Math.max(Math.abs(left), Math.abs(right)) * 1e-6
}

function numberFrom(number: string): number {
  if (/\d/.test(number)) return Number(number.replaceAll(',', ''))
  let total = 0
  let open = 0
  for (const word of number.toLowerCase().split(/[\s-]+/)) {
    if (word === 'and') continue
    const scale = SCALES[word]
    if (scale === undefined) open += WORD_VALUES.get(word) ?? Number.NaN
    else if (scale === 100 || scale === 12) open = Math.max(1, open) * scale
    else {
      total += Math.max(1, open) * scale
      open = 0
    }
  }
  return total + open
}
