import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PublicError } from '../../lib/public-error.ts'
import { compareHtml } from './compare-html.ts'
import { UNEQUAL_MAX } from './compare-tokens.ts'
import { htmlComparison } from './html-comparison.ts'
import { ELEMENTS_MAX } from './parse-html.ts'
import { DEPTH_MAX } from './tokenise-html.ts'

describe('the examples of the definition', () => {
  for (const { name, input, output } of htmlComparison.examples) {
    test(name, async () => {
      assert.deepEqual(await htmlComparison.evaluate?.({ input, config: {} }), output)
    })
  }
})

describe('equal documents score exactly 1', () => {
  const pairs: [name: string, html1: string, html2: string][] = [
    ['empty ones', '', ''],
    ['an empty one and one of comments, white space and a doctype', '', '<!doctype html>\n<!-- a -->\n'],
    ['a fragment and the same in its wrappers', '<p>a', '<html><head></head><body><p>a</p></body></html>'],
    [
      'a table with and without tbody and colgroup',
      '<table><col><tr><td>a</table>',
      '<table><colgroup><col></colgroup><tbody><tr><td>a</td></tr></tbody></table>',
    ],
    ['rows without their table', '<td>a', '<!-- rows --> <tr><td>a</td></tr>'],
    ['attributes in another order', '<a id=x href=y>a</a>', '<a href="y" id=\'x\'>a</a>'],
    ['classes in another order, or twice', '<i class="a b a"></i>', '<i class=" b\n a "></i>'],
    ['an empty class and none', '<i class=""></i>', '<i></i>'],
    ['a boolean attribute with and without its value', '<input disabled>', '<input disabled="">'],
    ['styles with other spacing', '<p style="color: red ;top:0">', '<p style="color:red; top: 0;">'],
    ['texts with a comment between them', '<p>a<!-- x -->b</p>', '<p>ab</p>'],
    [
      'indented and dense blocks',
      '<ul>\n <li> a \n</li>\n <li>b</li> </ul> ',
      '<ul><li>a</li><li>b</li></ul>',
    ],
    ['runs of white space', '<p>a \n\t b</p>', '<p>a b</p>'],
    ['a space on either side of an inline tag', '<b>a </b>b', '<b>a</b> b'],
    ['white space around a line break', '<p>a <br> b</p>', '<p>a<br>b</p>'],
    ['code with white space at its ends', '<script>\n a()\n</script>', '<script>a()</script>'],
    ['entities and their characters', '<p>&eacute;&#x20ac;</p>', '<p>é€</p>'],
    ['svg attributes in another case', '<svg viewbox="0 0 1 1"/>', '<svg viewBox="0 0 1 1"></svg>'],
    ['upper and lower case tags', '<DIV><Br></DIV>', '<div><br></div>'],
  ]
  for (const [name, html1, html2] of pairs) {
    test(name, () => assert.equal(compareHtml(html1, html2), 1))
  }
})

describe('unequal documents score less than 1', () => {
  const pairs: [name: string, html1: string, html2: string][] = [
    ['white space in pre', '<pre>a  b</pre>', '<pre>a b</pre>'],
    ['white space in textarea', '<textarea>a\nb</textarea>', '<textarea>a b</textarea>'],
    ['white space inside code', '<style>a{}\nb{}</style>', '<style>a{} b{}</style>'],
    ['a space between words or none', '<p>a b</p>', '<p>ab</p>'],
    ['a space beside an image or none', '<p>a <img></p>', '<p>a<img></p>'],
    ['a no-break space', '<p>a&nbsp;b</p>', '<p>a b</p>'],
    ['rows in one or two bodies', '<table><tr><tr></table>', '<table><tbody><tr><tbody><tr></table>'],
    ['texts in another element', '<h1>x</h1><p>y</p>', '<h1></h1><p>x y</p>'],
    ['another order', '<p>a</p><p>b</p>', '<p>b</p><p>a</p>'],
    ['another nesting', '<i><b>a</b></i>', '<b><i>a</i></b>'],
    ['another attribute value', '<a href="x">a</a>', '<a href="X">a</a>'],
    ['an attribute of a wrapper', '<html lang="en"><p>a', '<html lang="de"><p>a'],
    ['the content of a template', '<template><b>a</b></template>', '<template><i>a</i></template>'],
    ['an HTML and an SVG element of one name', '<svg><title>a</title></svg>', '<svg></svg><title>a</title>'],
    ['cells of rows without their table', '<tr><td>a</td></tr>', '<tr><th>a</th></tr>'],
  ]
  for (const [name, html1, html2] of pairs) {
    test(name, () => {
      const score = compareHtml(html1, html2)
      assert.ok(score > 0 && score <= UNEQUAL_MAX, String(score))
      assert.equal(compareHtml(html2, html1), score)
    })
  }
})

test('documents with nothing in common score 0', () => {
  assert.equal(compareHtml('<p>a</p>', ''), 0)
  assert.equal(compareHtml('', '<html lang="en">'), 0)
  assert.equal(compareHtml('<p>a</p>', '<ul><li>x</li><li>y</li></ul>'), 0)
})

test('the score says how much of the document is left', () => {
  assert.equal(compareHtml('<p>hello world</p>', '<p>hello there</p>'), 0.75)
  assert.equal(compareHtml('<p id="a">tea</p>', '<p id="b">tea</p>'), 0.8)
  // One character of a script without spaces changes one character, not the sentence.
  assert.ok(compareHtml('<p>今日は良い天気</p>', '<p>今日は悪い天気</p>') > 0.9)
})

describe('for any document', () => {
  test('the score is the same both ways, from 0 to 1, and 1 for the document itself', () => {
    fc.assert(
      fc.property(looseHtml, looseHtml, (html1, html2) => {
        const score = compareHtml(html1, html2)
        assert.ok(score >= 0 && score <= 1, String(score))
        assert.equal(compareHtml(html2, html1), score)
        assert.equal(compareHtml(html1, `<!-- other text, same tree -->${html1}`), 1)
      }),
      { numRuns: 500 },
    )
  })

  test('deleting more never scores higher', () => {
    fc.assert(
      fc.property(documentTree, fc.array(fc.nat(), { minLength: 2, maxLength: 6 }), (tree, choices) => {
        const original = serialise(tree)
        let rest = tree
        let before = 1
        for (const choice of choices) {
          rest = withoutNode(rest, choice)
          const score = compareHtml(original, serialise(rest))
          assert.ok(score <= before, `${original} -> ${serialise(rest)}: ${before} -> ${score}`)
          before = score
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('the limits', () => {
  test('100,000 nested elements are compared', () => {
    for (const tag of ['<div>', '<b>', '<a><div>', '<svg>', '<table><td>', '<template>', '<ul><li>']) {
      const deep = tag.repeat(100_000 / tag.split('<').length)
      assert.equal(compareHtml(deep, `${deep}<!-- c -->`), 1, tag)
    }
  })

  test('400 names the input that is nested too deep', () => {
    const deep = '<div>'.repeat(DEPTH_MAX + 1)
    assertRefused(() => compareHtml('<p>', deep), /^invalid input: input\.html2 is nested deeper than 200000/)
    assertRefused(() => compareHtml(deep, deep), /^invalid input: input\.html1 is nested/)
  })

  test('400 names the input with too many elements, also when the parser makes them', () => {
    const many = '<p>'.repeat(ELEMENTS_MAX)
    assertRefused(() => compareHtml(many, ''), /^invalid input: input\.html1 has more than 1000000 elements$/)
    const unclosed = Array.from({ length: 2_000 }, (_, index) => `<b id=${index}>`).join('')
    const copied = `<p>${unclosed}${'</p><p>x'.repeat(1_000)}`
    assertRefused(
      () => compareHtml('', copied),
      /^invalid input: input\.html2 has more than 1000000 elements$/,
    )
  })

  test('400 when the parser multiplies attributes', () => {
    const classes = Array.from({ length: 2_000 }, (_, index) => `c${index}`).join(' ')
    const copied = `<p><b class="${classes}">${'</p><p>x'.repeat(10_000)}`
    assertRefused(() => compareHtml(copied, ''), /^invalid input: input\.html1 has more than 8000000 tags/)
  })
})

function assertRefused(act: () => void, message: RegExp): void {
  assert.throws(
    act,
    (error) => error instanceof PublicError && error.kind === 'invalid_input' && message.test(error.message),
  )
}

type Tree = readonly (string | { readonly tag: string; readonly children: Tree })[]

const textPart = fc.constantFrom('a', 'b', 'aa', ' ', 'a b', ' c', 'tea time', '\n  ', 'ab ', 'x, y')
const openTag = fc.constantFrom(
  'div',
  'section',
  'span',
  'b',
  'em class="x"',
  'span class="x y"',
  'div id="a"',
  'i',
)

/** Well-formed documents: the parser takes them as they are written, before and after a deletion. */
const documentTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; node: Tree[number] }>((tie) => ({
  tree: fc.array(tie('node'), { maxLength: 4 }),
  node: fc.oneof({ depthSize: 'small' }, textPart, fc.record({ tag: openTag, children: tie('tree') })),
})).tree

/** Tags and texts in any order: what the parser has to repair. */
const looseHtml = fc
  .array(
    fc.oneof(
      textPart,
      fc
        .constantFrom(
          'p',
          '/p',
          'table',
          'tr',
          'td',
          '/table',
          'b',
          '/b',
          'a',
          'pre',
          'select',
          'option',
          'svg',
          'li',
          '!--',
        )
        .map((tag) => `<${tag}>`),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

function serialise(tree: Tree): string {
  return tree
    .map((node) =>
      typeof node === 'string'
        ? node
        : `<${node.tag}>${serialise(node.children)}</${node.tag.split(' ')[0]}>`,
    )
    .join('')
}

/** The tree without one of its nodes, text or element, chosen by a number. */
function withoutNode(tree: Tree, choice: number): Tree {
  const size = (nodes: Tree): number =>
    nodes.reduce((sum, node) => sum + 1 + (typeof node === 'string' ? 0 : size(node.children)), 0)
  let left = choice % (size(tree) || 1)
  const prune = (nodes: Tree): Tree =>
    nodes.flatMap<Tree[number]>((node) => {
      left -= 1
      if (left === -1) return []
      return typeof node === 'string' ? [node] : [{ ...node, children: prune(node.children) }]
    })
  return prune(tree)
}
