import { compareTokens } from './compare-tokens.ts'
import { parseHtml } from './parse-html.ts'
import { TokenVocabulary } from './token-vocabulary.ts'
import { tokeniseHtml } from './tokenise-html.ts'

/** The similarity of two HTML texts, from 0 to 1; the same number whichever comes first. */
export function compareHtml(html1: string, html2: string): number {
  const vocabulary = new TokenVocabulary()
  const read1 = () => tokeniseHtml(parseHtml(html1, 'input.html1'), vocabulary, 'input.html1')
  const read2 = () => tokeniseHtml(parseHtml(html2, 'input.html2'), vocabulary, 'input.html2')
  if (html1 === html2) {
    // Read all the same: whether an input is within the limits does not depend on the other one.
    read1()
    return 1
  }
  // Where an alignment is approximate its result depends on the order, so the order comes from the texts themselves.
  const [readFirst, readSecond] = html1 < html2 ? [read1, read2] : [read2, read1]
  const first = readFirst()
  const second = readSecond()
  return compareTokens(first, second, vocabulary)
}
