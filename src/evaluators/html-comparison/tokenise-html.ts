import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as htmlNames } from 'parse5'
import { invalidInput } from '../../lib/public-error.ts'
import type { HtmlRoot } from './parse-html.ts'
import type { TokenVocabulary } from './token-vocabulary.ts'
import { TokenWriter } from './token-writer.ts'

/** How deep elements may be nested. Nothing here recurses, so this bounds memory, not the stack. */
export const DEPTH_MAX = 200_000

type Parent = DefaultTreeAdapterTypes.ParentNode
type Element = DefaultTreeAdapterTypes.Element

/**
 * Writes a document as its tokens in reading order: start tag, attributes, content, end tag. Documents that differ
 * only in what does not matter (see the files beside this one) give the same tokens.
 */
export function tokeniseHtml(root: HtmlRoot, vocabulary: TokenVocabulary, field: string): Int32Array {
  const writer = new TokenWriter(vocabulary, field)
  const path: Place[] = [{ element: null, children: root.childNodes, next: 0 }]
  for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
    const child = place.children[place.next]
    place.next += 1
    if (child === undefined) {
      if (place.element !== null) writer.closeElement(tagOf(place.element))
      path.pop()
    } else if (defaultTreeAdapter.isTextNode(child)) {
      writer.addText(child.value)
    } else if (defaultTreeAdapter.isElementNode(child)) {
      if (path.length > DEPTH_MAX) throw invalidInput(`${field} is nested deeper than ${DEPTH_MAX} elements`)
      writer.openElement(tagOf(child), child.attrs)
      path.push({ element: child, children: childrenOf(child), next: 0 })
    }
  }
  return writer.finish()
}

/** An element whose children are being read, and which of them comes next. */
interface Place {
  readonly element: Element | null
  readonly children: Parent['childNodes']
  next: number
}

/** HTML names as they are; the same name in SVG or MathML is another element. */
function tagOf(element: Element): string {
  if (element.namespaceURI === htmlNames.NS.HTML) return element.tagName
  return element.namespaceURI === htmlNames.NS.SVG ? `svg ${element.tagName}` : `math ${element.tagName}`
}

function childrenOf(element: Element): Parent['childNodes'] {
  if ('content' in element) return (element as DefaultTreeAdapterTypes.Template).content.childNodes
  return element.childNodes
}
