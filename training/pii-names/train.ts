// node train.ts POOLS LABELLED_DATA OUT: trains the name tagger and writes its weights.
// Logistic regression over hashed features (the same code the service runs), AdaGrad, then one byte per weight.

import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { loadLexicon } from '../../src/evaluators/pii-detector/lexicon.ts'
import {
  FEATURES_MAX,
  mayBeName,
  WEIGHT_BITS,
  writeFeatures,
} from '../../src/evaluators/pii-detector/person-features.ts'
import { Tokens } from '../../src/evaluators/pii-detector/tokens.ts'
import { FLAG } from '../../src/evaluators/pii-detector/word-flags.ts'
import {
  ADJECTIVES,
  BRANDS,
  EFFECTS,
  EPONYMS,
  NOUNS,
  ORG_ENDS,
  PRODUCTS,
  ROLES,
  THING_NAMES,
  THINGS,
  VERBS,
  WITH_NAME,
  WITHOUT_NAME,
} from './templates.ts'

interface Example {
  readonly text: string
  /** Start and end of every name. */
  readonly names: readonly (readonly [number, number])[]
  /** Stretches nobody has labelled, such as the names of accounts. */
  readonly unknown?: readonly (readonly [number, number])[]
  readonly source: string
  /** Sentences made from one another are trained on together or not at all. */
  readonly isHeld?: boolean
}

interface Sample {
  readonly features: Int32Array
  readonly isName: boolean
  readonly source: string
}

const [poolsFile = '', labelled = '', out = ''] = process.argv.slice(2)
const pools = JSON.parse(readFileSync(poolsFile, 'utf8')) as {
  given: Record<string, string[]>
  surname: Record<string, string[]>
  places: string[]
  countries: string[]
  translations: string[]
  paragraphs: string[]
  words: string[]
}
/** Sentences made from each template. */
const EACH = 150
/** Times that each labelled sentence is read again with other names in it. */
const RENAMED = 4
/** Labels of the sources, as the slots of templates. */
const SLOTS: Readonly<Record<string, string>> = {
  PER: 'name',
  person: 'name',
  LOC: 'place',
  location: 'place',
  ORG: 'org',
  corporation: 'org',
}
const EPOCHS = 5
const RATE = 0.15
const DECAY = 2e-6
const NAME_DROP = 0.3
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

let state = 20_260_101
/** A random number from 0 to 1, the same ones in every run. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32
}
function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item
}

const locales = Object.keys(pools.given).filter((locale) => pools.surname[locale])
// Half of the names are American or Western European, as most texts are; the others are from anywhere.
const FREQUENT_LOCALES = [
  'census',
  'census',
  'census',
  'en_GB',
  'de_DE',
  'fr_FR',
  'es_ES',
  'it_IT',
  'en_IN',
  'pl_PL',
  'nl_NL',
  'pt_BR',
  'sv_SE',
]

const examples = [
  ...readConll(),
  ...makeSentences(WITH_NAME, EACH * 1.3),
  ...makeSentences(WITHOUT_NAME, EACH),
  ...readBenign(),
]
const lexicon = loadLexicon()
const tokens = new Tokens(lexicon)
const training: Sample[] = []
const held: Sample[] = []
for (const [at, example] of examples.entries()) {
  const isHeld = example.isHeld ?? at % 10 === 0
  for (const variant of variantsOf(example)) collect(variant, isHeld ? held : training, !isHeld)
}
console.log(examples.length, 'texts', training.length, 'tokens to train on', held.length, 'held out')
const weights = train()
// The largest weights are cut: a feature that alone decides is one that was learnt by heart.
const step = 3 / 127
const bytes = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / step))))
const { scale, offset } = calibrate(bytes, step)
report(bytes, scale, offset)
const head = Buffer.alloc(8)
head.writeFloatLE(scale, 0)
head.writeFloatLE(offset, 4)
const packed = brotliCompressSync(Buffer.concat([head, Buffer.from(bytes.buffer)]), {
  params: { [constants.BROTLI_PARAM_LGWIN]: 22 },
})
writeFileSync(out, packed)
console.log('wrote', packed.length, 'bytes; scale', scale, 'offset', offset)

/** As written, and now and then all in lower case or in capitals. */
function variantsOf(example: Example): Example[] {
  const chance = random()
  if (chance < 0.22) return [{ ...example, text: sameLength(example.text, example.text.toLowerCase()) }]
  if (chance < 0.26) return [{ ...example, text: sameLength(example.text, example.text.toUpperCase()) }]
  return [example]
}

function sameLength(before: string, after: string): string {
  return after.length === before.length ? after : before
}

function collect({ text, names, unknown = [], source }: Example, into: Sample[], isTraining: boolean): void {
  if (text.length > 16_000) return
  tokens.read(text, 0)
  const isIn = (places: readonly (readonly [number, number])[], token: number) =>
    places.some(
      ([start, end]) => (tokens.start[token] as number) < end && (tokens.end[token] as number) > start,
    )
  if (isTraining) forgetSome(names)
  const out = new Int32Array(FEATURES_MAX)
  for (let token = 0; token < tokens.count; token++) {
    if (!mayBeName(tokens, token) || isIn(unknown, token)) continue
    const count = writeFeatures(tokens, token, out)
    into.push({ features: out.slice(0, count), isName: isIn(names, token), source })
  }
}

/** Names that no list has must be found too: for some, what the lists say is forgotten, and the word itself is another. */
function forgetSome(names: readonly (readonly [number, number])[]): void {
  const listed = FLAG.given | FLAG.givenFrequent | FLAG.surname | FLAG.surnameFrequent
  for (let token = 0; token < tokens.count; token++) {
    const isName = names.some(
      ([start, end]) => (tokens.start[token] as number) < end && (tokens.end[token] as number) > start,
    )
    if (!((tokens.flags[token] as number) & listed) || random() >= (isName ? NAME_DROP : 0.1)) continue
    tokens.flags[token] = (tokens.flags[token] as number) & ~listed
    if (isName) tokens.hash[token] = (random() * 2 ** 32) | 0
  }
}

function train(): Float64Array {
  const weights = new Float64Array(2 ** WEIGHT_BITS)
  const squares = new Float64Array(2 ** WEIGHT_BITS).fill(1e-3)
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let at = training.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      ;[training[at], training[other]] = [training[other] as Sample, training[at] as Sample]
    }
    let loss = 0
    for (const { features, isName } of training) {
      let sum = 0
      for (const feature of features) sum += weights[feature] as number
      const error = 1 / (1 + Math.exp(-sum)) - (isName ? 1 : 0)
      loss -= Math.log(Math.max(1e-9, 1 - Math.abs(error)))
      for (const feature of features) {
        const weight = weights[feature] as number
        const gradient = error + DECAY * 100 * weight
        squares[feature] = (squares[feature] as number) + gradient * gradient
        weights[feature] = weight - (RATE * gradient) / Math.sqrt(squares[feature] as number)
      }
    }
    console.log('epoch', epoch, 'loss', (loss / training.length).toFixed(4))
  }
  return weights
}

/** Platt's method on the held-out texts: a probability of 0.8 is right four times in five. */
function calibrate(bytes: Int8Array, step: number): { scale: number; offset: number } {
  const sums = held.map((sample) => sumOf(bytes, sample))
  let [scale, offset] = [step, 0]
  for (let round = 0; round < 4_000; round++) {
    let [slope, shift] = [0, 0]
    for (const [at, sample] of held.entries()) {
      const error = 1 / (1 + Math.exp(-((sums[at] as number) * scale + offset))) - (sample.isName ? 1 : 0)
      slope += error * (sums[at] as number)
      shift += error
    }
    scale -= (0.02 * step * step * slope) / held.length
    offset -= (0.5 * shift) / held.length
  }
  return { scale, offset }
}

function sumOf(bytes: Int8Array, { features }: Sample): number {
  let sum = 0
  for (const feature of features) sum += bytes[feature] as number
  return sum
}

function report(bytes: Int8Array, scale: number, offset: number): void {
  for (const source of new Set(held.map((sample) => sample.source))) {
    const samples = held.filter((sample) => sample.source === source)
    const counts = { found: 0, right: 0, names: 0 }
    for (const sample of samples) {
      const isFound = 1 / (1 + Math.exp(-(sumOf(bytes, sample) * scale + offset))) >= 0.8
      if (sample.isName) counts.names++
      if (isFound) counts.found++
      if (isFound && sample.isName) counts.right++
    }
    const { found, right, names } = counts
    console.log(
      source,
      samples.length,
      'precision',
      (right / found).toFixed(3),
      'recall',
      (right / names).toFixed(3),
      'false',
      ((found - right) / (samples.length - names)).toFixed(4),
    )
  }
  for (let bin = 0; bin < 10; bin++) {
    const inside = held.filter(
      (sample) =>
        Math.min(9, Math.floor(10 / (1 + Math.exp(-(sumOf(bytes, sample) * scale + offset))))) === bin,
    )
    console.log(
      'said',
      (bin + 0.5) / 10,
      'was',
      (inside.filter(({ isName }) => isName).length / inside.length).toFixed(3),
      inside.length,
    )
  }
}

/** The labelled sentences, and the same again with the names, places and organisations of others in them. */
function* readConll(): Generator<Example> {
  for (const name of ['wikigold.conll.txt', 'btc_a.conll', 'btc_b.conll', 'wnut17train.conll']) {
    const source = name.replace(/\..*$/, '')
    for (const block of readFileSync(`${labelled}/raw/ner/${name}`, 'utf8').split(/\n\s*\n/)) {
      const pieces = readPieces(block)
      if (pieces.length === 0) continue
      const group = random() < 0.1
      yield { ...joinPieces(pieces, source), isHeld: group }
      if (!pieces.some(({ slot }) => slot !== '')) continue
      for (let turn = 0; turn < RENAMED; turn++) {
        const others = pieces.map((piece) => (piece.slot === '' ? piece : { ...piece, text: renamed(piece) }))
        yield { ...joinPieces(others, `${source} renamed`), isHeld: group }
      }
    }
  }
}

interface Piece {
  readonly text: string
  /** What it is: empty for ordinary words. */
  readonly slot: string
}

/** Words and whole entities, in order. */
function readPieces(block: string): Piece[] {
  const pieces: Piece[] = []
  for (const line of block.split('\n')) {
    const [word = '', tag = 'O'] = line.trim().split(/\s+/)
    if (word === '' || word === '-DOCSTART-') continue
    const slot = SLOTS[tag.slice(2)] ?? ''
    const last = pieces.at(-1)
    const goesOn = tag.startsWith('I-') && slot !== '' && last?.slot === slot
    if (goesOn && last) pieces[pieces.length - 1] = { text: `${last.text} ${word}`, slot }
    else pieces.push({ text: word, slot })
  }
  return pieces
}

function renamed({ text, slot }: Piece): string {
  const value = valueFor(slot === 'name' ? (text.includes(' ') ? 'full' : pick(['given', 'surname'])) : slot)
  return text === text.toLowerCase() ? value.toLowerCase() : value
}

function joinPieces(pieces: readonly Piece[], source: string): Example {
  const names: [number, number][] = []
  const unknown: [number, number][] = []
  let text = ''
  for (const { text: piece, slot } of pieces) {
    const isGlued = /^[.,;:!?)\]%]|^n't$|^'/.test(piece) || /[([@#]$/.test(text)
    if (text !== '' && !isGlued) text += ' '
    const range: [number, number] = [text.length, text.length + piece.length]
    if (/[@#]$/.test(text) || /^[@#]|^http/.test(piece)) unknown.push(range)
    else if (slot === 'name') names.push(range)
    text += piece
  }
  return { text, names, unknown, source }
}

function* makeSentences(templates: readonly string[], each: number): Generator<Example> {
  for (const template of templates) {
    // A few hundred brands and words are soon learnt; more of them would teach that nobody is called anything.
    const times = /\{(?:Brand|Eponym|Thingname)\}/.test(template) ? each / 1.7 : each
    for (let turn = 0; turn < times; turn++) yield fill(template)
  }
}

/** What stands behind {name}: names are remembered with their places. */
function fill(template: string): Example {
  const names: [number, number][] = []
  let text = ''
  for (const part of template.split(/(\{[A-Za-z]+\})/)) {
    const value = part.startsWith('{') ? valueFor(part.slice(1, -1)) : part
    if (/^\{(?:full|given|surname)\}$/.test(part)) names.push([text.length, text.length + value.length])
    text += value
  }
  return { text, names, source: names.length > 0 ? 'templates' : 'templates without' }
}

function valueFor(slot: string): string {
  const locale = random() < 0.5 ? pick(FREQUENT_LOCALES) : pick(locales)
  const given = () => pick(pools.given[locale] as string[])
  const surname = () => pick(pools.surname[locale] as string[])
  if (slot === 'given') return given()
  if (slot === 'surname') return surname()
  if (slot === 'full') {
    const chance = random()
    if (chance < 0.08) return `${given()} ${pick([...'ABCDEFGHJKLMNPRSTW'])}. ${surname()}`
    if (chance < 0.12) return `${pick([...'ABCDEFGHJKLMNPRSTW'])}. ${surname()}`
    if (chance < 0.16) return `${given()} ${surname()}-${surname()}`
    return `${given()} ${surname()}`
  }
  if (slot === 'place') return pick(pools.places)
  if (slot === 'country') return pick(pools.countries)
  if (slot === 'month') return pick(MONTHS)
  if (slot === 'weekday') return pick(DAYS)
  if (slot === 'product') return pick(PRODUCTS)
  if (slot === 'adjective') return pick(ADJECTIVES)
  if (slot === 'verbed') return pick(VERBS)
  if (slot === 'thing') return pick(THINGS)
  if (slot === 'role') return pick(ROLES)
  if (slot === 'Brand') return pick(BRANDS)
  if (slot === 'Eponym') return pick(EPONYMS)
  if (slot === 'Effect') return pick(EFFECTS)
  if (slot === 'Thingname') return pick(THING_NAMES)
  if (slot === 'thingname') return pick(THING_NAMES).toLowerCase()
  if (slot === 'Nomen') return pick(NOUNS)
  if (slot === 'word') return pick(pools.words)
  if (slot === 'WORD') return pick(pools.words).toUpperCase()
  if (slot === 'Word') return capitalise(pick(pools.words))
  const root = pick([
    surname,
    () => pick(pools.places),
    () => `${surname()} & ${surname()}`,
    madeUp,
    madeUp,
  ])()
  return random() < 0.75 ? `${root} ${pick(ORG_ENDS)}` : madeUp()
}

/** A brand that is no word. */
function madeUp(): string {
  const word = Array.from(
    { length: 2 + Math.floor(random() * 2) },
    () => pick([...'bcdfglmnprstvz']) + pick(['a', 'e', 'i', 'o', 'u', 'ix', 'al', 'on', 'er']),
  ).join('')
  return capitalise(word) + pick(['', '', 'ly', 'ify', 'Soft', 'Data', 'Tech'])
}

/** Texts without people: user interfaces in many languages, and the first half of the questions of bank customers. */
function* readBenign(): Generator<Example> {
  for (const text of pools.translations) {
    if (text.length > 12 && random() < 0.7) yield { text, names: [], source: 'translations' }
  }
  for (const text of pools.paragraphs) if (random() < 0.5) yield { text, names: [], source: 'documentation' }
  const rows = readFileSync(`${labelled}/pii-detector.banking77.jsonl`, 'utf8').trim().split('\n')
  for (const row of rows.slice(0, Math.floor(rows.length / 2))) {
    yield {
      text: (JSON.parse(row) as { input: { text: string } }).input.text,
      names: [],
      source: 'banking77',
    }
  }
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
