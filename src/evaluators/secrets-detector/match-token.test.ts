import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasSecret } from './detect-secrets.ts'
import { TOKEN_FORMATS, tokenRule } from './match-token.ts'
import type { TokenFormat } from './token-format.ts'

// Tokens are made when the tests run, so that no scanner takes a line of this file for one.
const SAMPLES = 12

/** The same numbers in every run. */
function* numbersFrom(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

/** A text that fits a pattern of the tables: literals, classes, groups with alternatives, bounded repetition. */
class Sampler {
  readonly #numbers: Generator<number, never>
  readonly #pattern: string
  #at = 0

  constructor(pattern: string, seed: number) {
    this.#pattern = pattern
    this.#numbers = numbersFrom(seed)
  }

  sample(): string {
    this.#at = 0
    return this.#alternatives()
  }

  #alternatives(): string {
    const options = [this.#sequence()]
    while (this.#pattern[this.#at] === '|') {
      this.#at++
      options.push(this.#sequence())
    }
    return options[this.#below(options.length)] ?? ''
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? ''))
      text += this.#repeated()
    return text
  }

  #repeated(): string {
    const start = this.#at
    this.#atom()
    const after = this.#at
    const [quantifier = '', min, max] = /^(?:\{(\d+)(?:,(\d+))?\}|\?)/.exec(this.#pattern.slice(after)) ?? []
    const least = quantifier === '?' ? 0 : Number(min ?? 1)
    const most = quantifier === '' ? 1 : Number(max ?? min ?? 1)
    let text = ''
    for (let count = least + this.#below(most - least + 1); count > 0; count--) {
      this.#at = start
      text += this.#atom()
    }
    this.#at = after + quantifier.length
    return text
  }

  #atom(): string {
    const rest = this.#pattern.slice(this.#at)
    if (rest.startsWith('(?:')) {
      this.#at += 3
      const text = this.#alternatives()
      this.#at++
      return text
    }
    const [taken = ''] = /^(?:\[(?:\\.|[^\]])+\]|\\.|.)/.exec(rest) ?? []
    this.#at += taken.length
    if (taken.length === 1) return taken
    const fitting = fittingOf(taken)
    return fitting[this.#below(fitting.length)] ?? ''
  }

  #below(count: number): number {
    return Math.floor(this.#numbers.next().value * count)
  }
}

const knownClasses = new Map<string, string[]>()

function fittingOf(characterClass: string): string[] {
  const known = knownClasses.get(characterClass)
  const fitting = known ?? ASCII.filter((one) => new RegExp(`^${characterClass}$`).test(one))
  knownClasses.set(characterClass, fitting)
  return fitting
}

const ASCII = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))

function samplesOf(format: TokenFormat): string[] {
  const sampler = new Sampler(format.pattern, 7)
  return Array.from({ length: SAMPLES }, () => sampler.sample())
}

function isFoundBy(format: TokenFormat, text: string): boolean {
  const rule = tokenRule(format)
  const lower = text.toLowerCase()
  for (
    let at = lower.indexOf(format.keyword.toLowerCase());
    at !== -1;
    at = lower.indexOf(format.keyword.toLowerCase(), at + 1)
  ) {
    if (rule(text, at)) return true
  }
  return false
}

describe('every format of a token', () => {
  for (const [at, format] of TOKEN_FORMATS.entries()) {
    // A checksum cannot be had by chance; those formats have tests of their own.
    if (format.needsChecksum) continue
    test(`${format.vendor} (${at}) is found in a sentence, and not in the middle of a word`, () => {
      let found = 0
      for (const token of samplesOf(format)) {
        assert.match(token, new RegExp(`^(?:${format.pattern})$`))
        if (isFoundBy(format, `I used ${token}, then stopped.`)) found++
        assert.equal(isFoundBy(format, `Iused${token}, then stopped.`), false, token)
      }
      // A few are rightly taken for placeholders: four x in a row, or seven letters that count.
      assert.ok(found >= SAMPLES * 0.8, `${found} of ${SAMPLES}`)
    })
  }
})

test('no format repeats without a bound', () => {
  for (const { vendor, pattern } of TOKEN_FORMATS) {
    assert.doesNotMatch(pattern.replace(/\\.|\[(?:\\.|[^\]])+\]/g, 'c'), /[+*]|\{\d+,\}/, vendor)
  }
})

const FORTY = 'k3J9x2Qm7Wz4Vb8Nc1Lp6Rt5Ys0Df2Gh9Jk4Qa7Z'

describe('a token', () => {
  const token = `gsk_${FORTY}${FORTY.slice(0, 12)}`

  for (const [name, text] of [
    ['after an escaped line break', `log: done\\n${token}`],
    ['after a colour of the terminal', `\u001b[94m${token}\u001b[0m`],
    ['in an encoded address', `?a=1%26k%3D${token}`],
    ['after an escaped sign', `\\u003d${token}`],
    ['in quotes and brackets', `["${token}"]`],
    ['at the end of a sentence', `It is ${token}.`],
    ['with invisible characters in it', `${token.slice(0, 9)}\u200b${token.slice(9)}`],
    [
      'in full-width letters',
      [...token].map((one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join(''),
    ],
  ] as const) {
    test(`is found ${name}`, () => assert.equal(hasSecret(text), true))
  }

  for (const [name, text] of [
    ['too short', token.slice(0, -1)],
    ['too long', `${token}7`],
    ['with its prefix in capitals', token.toUpperCase()],
    ['that goes on after a hyphen', `${token}-7`],
    ['made of x', `gsk_${'x'.repeat(52)}`],
    ['that says it is an example', `gsk_${FORTY}EXAMPLEKEY12`],
    ['that counts', `gsk_${FORTY.slice(0, 26)}abcdefghijklmnopqrstuvwxyz`],
  ] as const) {
    test(`${name} is none`, () => assert.equal(hasSecret(text), false))
  }
})

test('a right checksum outweighs what the body looks like; a wrong one does not condemn', () => {
  // 36 characters that count: the most common made-up token there is.
  assert.equal(hasSecret(`ghp_${'1234567890abcdefghijklmnopqrstuvwxyz'}`), false)
  assert.equal(hasSecret(`ghp_${['zQWBuTSOoRi4A9spHcVY', '5ncnsDkxkJ0mLq17'].join('')}`), true)
  assert.equal(hasSecret(`ghp_${['zQWBuTSOoRi4A9spHcVY', '5ncnsDkxkJ0mLq18'].join('')}`), true)
})

test('a key of age needs its checksum', () => {
  // A test vector of the age project.
  const key = ['AGE-SECRET-KEY-1GFPYYSJZGFPYYSJ', 'ZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'].join('')
  assert.equal(hasSecret(key), true)
  assert.equal(hasSecret(`${key.slice(0, -1)}Y`), false)
})
