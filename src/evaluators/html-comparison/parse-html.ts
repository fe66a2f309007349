import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html as htmlNames,
  parse,
  parseFragment,
} from 'parse5'
import { invalidInput } from '../../lib/public-error.ts'
import { isHtmlSpace } from './split-text.ts'

/**
 * The most elements one input may have. A few hundred bytes can ask for more: the parser copies every unclosed
 * formatting element into every following paragraph. A 5 MB page of ordinary density has about 200,000.
 */
export const ELEMENTS_MAX = 1_000_000

/** The result of the parser: a document, or a fragment where the input is a part of a table. */
export type HtmlRoot = DefaultTreeAdapterTypes.Document | DefaultTreeAdapterTypes.DocumentFragment

const TABLE_PART = /<(?:tbody|thead|tfoot|caption|colgroup|col|tr|td|th)[\s/>]/iy

/**
 * Parses HTML the way browsers do, without its comments. `field` names the input in the error.
 *
 * `noscript` is read as markup, as by a reader without scripts: then its content is compared like any other.
 */
export function parseHtml(html: string, field: string): HtmlRoot {
  const options = { treeAdapter: countingAdapter(field), scriptingEnabled: false }
  if (!startsInsideTable(html)) return parse(html, options)
  const table = defaultTreeAdapter.createElement('table', htmlNames.NS.HTML, [])
  return parseFragment(table, html, options)
}

/**
 * True for rows and cells without their table. Read as a document, their tags would vanish and only their text count.
 */
function startsInsideTable(html: string): boolean {
  let start = 0
  while (isHtmlSpace(html.charCodeAt(start)) || html.startsWith('<!--', start)) {
    if (html[start] !== '<') start += 1
    else {
      // From the dashes of the opening on, because `<!-->` is a whole comment.
      const end = html.indexOf('-->', start + 2)
      if (end < 0) return false
      start = end + 3
    }
  }
  TABLE_PART.lastIndex = start
  return TABLE_PART.test(html)
}

function countingAdapter(field: string): typeof defaultTreeAdapter {
  let elements = 0
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespaceUri, attributes) {
      elements += 1
      if (elements > ELEMENTS_MAX) throw invalidInput(`${field} has more than ${ELEMENTS_MAX} elements`)
      return defaultTreeAdapter.createElement(tagName, namespaceUri, attributes)
    },
    // A comment never enters the tree, so the parser itself joins the texts on its two sides.
    appendChild(parent, child) {
      if (!defaultTreeAdapter.isCommentNode(child)) defaultTreeAdapter.appendChild(parent, child)
    },
  }
}
