import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { COLOUR_BLINDNESS, contrast, difference, parseHex, type Rgb } from './colours.ts'

const SOURCES = path.join(import.meta.dirname, '../../dashboard/src')
const TOKENS = 'styles/tokens.css'
const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** Everything text can lie on where its own rule names no background. */
const SURFACES = ['background', 'surface', 'surface-raised', 'surface-sunken']
/** Faint backgrounds of whole areas, in which texts and links of every rank stand. */
const TINTS = ['accent-faint', 'neutral-faint']
const TEXT_CONTRAST_MIN = 4.5
/** For the edges of controls, the focus ring and lines of charts (WCAG 1.4.11). */
const SHAPE_CONTRAST_MIN = 3
/** CIE76; 2.3 can just be told apart side by side, 20 at a glance. */
const DIFFERENCE_MIN = 20

const withoutComments = (css: string) => css.replaceAll(/\/\*[\s\S]*?\*\//g, '')
const read = (file: string) => withoutComments(readFileSync(path.join(SOURCES, file), 'utf8'))
const styles = globSync('**/*.css', { cwd: SOURCES }).sort()
const tokens = readTokens(read(TOKENS))

interface Rule {
  readonly file: string
  readonly selector: string
  readonly body: string
}

/** The innermost blocks of a style sheet. */
const rules: readonly Rule[] = styles.flatMap((file) =>
  [...read(file).matchAll(/([^{};]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => ({
    file,
    selector: selector.trim(),
    body,
  })),
)

function readTokens(css: string): ReadonlyMap<string, Record<Theme, Rgb>> {
  const pairs = css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\);/g)
  return new Map(
    [...pairs].map(([, name = '', light = '', dark = '']) => [
      name,
      { light: parseHex(light), dark: parseHex(dark) },
    ]),
  )
}

function colourOf(name: string, theme: Theme): Rgb {
  const colour = tokens.get(name)?.[theme]
  assert.ok(colour, `${TOKENS} has no colour ${name}`)
  return colour
}

const tokenIn = (body: string, property: string) =>
  new RegExp(`(?:^|[;\\s])${property}: var\\(--([\\w-]+)\\)`).exec(body)?.[1]

function assertContrast(front: string, back: string, least: number, where: string): void {
  for (const theme of THEMES) {
    const ratio = contrast(colourOf(front, theme), colourOf(back, theme))
    assert.ok(ratio >= least, `${front} on ${back} has ${ratio.toFixed(2)} in the ${theme} theme (${where})`)
  }
}

describe('the colours of the dashboard', () => {
  test('stand in one file, and every name that is used exists', () => {
    const known = new Set([...read(TOKENS).matchAll(/--([\w-]+):/g)].map(([, name]) => name))
    for (const file of styles) {
      const text = read(file)
      // Names that a component sets for itself begin with the place where they are set.
      const own = new Set([...text.matchAll(/--([\w-]+):/g)].map(([, name]) => name))
      for (const [, name] of text.matchAll(/var\(--([\w-]+)\)/g))
        assert.ok(known.has(name) || own.has(name) || isSetInMarkup(name), `${file} uses --${name}`)
      if (file === TOKENS) continue
      assert.doesNotMatch(
        text,
        /#[0-9a-f]{3,8}\b(?![^{}]*\{)|\b(rgb|hsl|oklch)a?\(/i,
        `${file} names a colour`,
      )
    }
  })

  test('every text has a contrast of 4.5 or more on what it lies on, in both themes', () => {
    let count = 0
    for (const { file, selector, body } of rules) {
      const front = tokenIn(body, 'color')
      if (front === undefined) continue
      const back = tokenIn(body, 'background') ?? tokenIn(body, 'background-color')
      for (const surface of back === undefined ? SURFACES : [back])
        assertContrast(front, surface, TEXT_CONTRAST_MIN, `${file}: ${selector}`)
      count++
    }
    assert.ok(count > 50, `${count} rules were found`)
    for (const front of ['text', 'text-quiet', 'accent', 'accent-strong'])
      for (const back of [...SURFACES, ...TINTS])
        assertContrast(front, back, TEXT_CONTRAST_MIN, 'texts and links in areas')
    for (const tone of ['good', 'warn', 'bad'])
      for (const front of [tone, 'text']) assertContrast(front, `${tone}-faint`, TEXT_CONTRAST_MIN, 'tones')
  })

  test('edges of controls, the focus ring and lines of charts have a contrast of 3 or more', () => {
    const shapes = [
      'line-control',
      'focus',
      ...[...tokens.keys()].filter((name) => name.startsWith('series-')),
    ]
    for (const shape of shapes)
      for (const back of ['background', 'surface', 'surface-raised'])
        assertContrast(shape, back, SHAPE_CONTRAST_MIN, 'shapes')
  })

  test('pass, fail and neutral look different to people with a colour blindness too', () => {
    const verdicts = ['good', 'bad', 'neutral']
    for (const theme of THEMES)
      for (const one of verdicts)
        for (const other of verdicts.slice(verdicts.indexOf(one) + 1))
          for (const blindness of [undefined, 'deuteranopia', 'protanopia'] as const) {
            const apart = difference(colourOf(one, theme), colourOf(other, theme), blindness)
            const seen = blindness === undefined ? 'everybody' : blindness
            assert.ok(apart >= DIFFERENCE_MIN, `${one} and ${other}, ${theme}, ${seen}: ${apart.toFixed(1)}`)
          }
    assert.equal(Object.keys(COLOUR_BLINDNESS).length, 2)
  })
})

describe('the distances of the dashboard', () => {
  test('paddings, margins and gaps lie on a grid of 4 points', () => {
    for (const { file, selector, body } of rules)
      for (const [declaration, , value = ''] of body.matchAll(
        /(?:^|[;\s])((?:padding|margin|gap|row-gap|column-gap)(?:-\w+)*): ([^;]+)/g,
      ))
        for (const [, px] of value.matchAll(/(?<![\w.])(\d+(?:\.\d+)?)px/g))
          assert.ok(
            Number(px) % 4 === 0 || Number(px) === 2 || Number(px) === 1,
            `${file}: ${selector}: ${declaration}`,
          )
  })

  test('sizes of text come from the scale', () => {
    for (const { file, selector, body } of rules)
      for (const [, value = ''] of body.matchAll(/(?:^|[;\s])font-size: ([^;]+)/g))
        assert.match(value, /^(var\(--text-\w+\)|0\.92em|inherit)$/, `${file}: ${selector}`)
  })
})

/** Some are given by the component, because they depend on its data. */
function isSetInMarkup(name: string | undefined): boolean {
  return globSync('**/*.tsx', { cwd: SOURCES }).some((file) =>
    readFileSync(path.join(SOURCES, file), 'utf8').includes(`'--${name}'`),
  )
}
