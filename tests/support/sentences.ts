/** A sentence that people read, and the line on which it begins. */
export interface Sentence {
  readonly line: number
  readonly text: string
}

type Lines = readonly Sentence[]

const LINE_COMMENT = /^\s*\/\/+\s?(.*)$/
const TRAILING_COMMENT = /\s\/\/ (.*)$/
const BLOCK_START = /(?:^|[\s{(,])\/\*+(.*)$/
const LIST_ITEM = /^\s*(?:[-*+]|\d+\.)\s+/
/** The end of a sentence; a colon ends one only before a word that a sentence may not begin with. */
const SENTENCE_END = /(?<=[.!?][)*_"'`\]]*)\s+|(?<=:)\s+(?=[*_]*(?:What|Who|Whose|Whoever|Nobody)\b)/

/**
 * The sentences in the comments of a TypeScript, JavaScript or CSS file. Comments are found line by line: a parser would have
 * to tell a regular expression from a division first, and no string of this repository looks like a comment.
 */
export function commentSentences(source: string): Sentence[] {
  const lines = source.split('\n')
  const sentences: Sentence[] = []
  for (let at = 0; at < lines.length; ) {
    const comment = blockComment(lines, at) ?? lineComment(lines, at) ?? trailingComment(lines, at)
    sentences.push(...sentencesOf(comment))
    at += Math.max(1, comment.length)
  }
  return sentences
}

/** The sentences of a Markdown page: of its paragraphs, list items and table cells, without headings and code blocks. */
export function pageSentences(page: string): Sentence[] {
  const sentences: Sentence[] = []
  let paragraph: Sentence[] = []
  const endParagraph = () => {
    sentences.push(...sentencesOf(paragraph))
    paragraph = []
  }
  for (const { line, text } of linesWithoutCode(page)) {
    if (text.trim() === '' || isHeading(text) || LIST_ITEM.test(text) || text.startsWith('|')) endParagraph()
    if (isHeading(text)) continue
    if (text.startsWith('|'))
      for (const cell of text.split('|')) sentences.push(...sentencesOf([{ line, text: cell }]))
    else if (text.trim() !== '')
      paragraph.push({ line, text: text.replace(LIST_ITEM, '').replace(/^>\s?/, '') })
  }
  endParagraph()
  return sentences
}

/** The headings of a Markdown page, without their number signs. */
export function pageHeadings(page: string): Sentence[] {
  return linesWithoutCode(page)
    .filter(({ text }) => isHeading(text))
    .map(({ line, text }) => ({ line, text: text.replace(/^#+\s+/, '').trim() }))
}

function isHeading(text: string): boolean {
  return /^#+\s/.test(text)
}

function linesWithoutCode(page: string): Sentence[] {
  let isCode = false
  return page.split('\n').flatMap((text, at) => {
    const isFence = /^\s*(?:```|~~~)/.test(text)
    if (isFence) isCode = !isCode
    return isFence || isCode ? [{ line: at + 1, text: '' }] : [{ line: at + 1, text }]
  })
}

function blockComment(lines: readonly string[], at: number): Lines | undefined {
  const first = BLOCK_START.exec(lines[at] ?? '')?.[1]
  if (first === undefined) return undefined
  const found: Sentence[] = []
  for (let here = at, text = first; here < lines.length; here++, text = lines[here] ?? '') {
    const bare = here === at ? text : text.replace(/^\s*\*(?!\/)/, '')
    found.push({ line: here + 1, text: bare.replace(/\*\/.*$/, '') })
    if (bare.includes('*/')) break
  }
  return found
}

function lineComment(lines: readonly string[], at: number): Lines | undefined {
  const found: Sentence[] = []
  for (let here = at; here < lines.length; here++) {
    const text = LINE_COMMENT.exec(lines[here] ?? '')?.[1]
    if (text === undefined) break
    found.push({ line: here + 1, text })
  }
  return found.length === 0 ? undefined : found
}

function trailingComment(lines: readonly string[], at: number): Lines {
  const text = TRAILING_COMMENT.exec(lines[at] ?? '')?.[1]
  return text === undefined ? [] : [{ line: at + 1, text }]
}

/** Splits text that goes on over several lines; an empty line and a list item end a sentence as well. */
function sentencesOf(lines: Lines): Sentence[] {
  const sentences: Sentence[] = []
  let open: Sentence | undefined
  for (const { line, text } of lines) {
    if (open && (text.trim() === '' || LIST_ITEM.test(text))) {
      sentences.push(open)
      open = undefined
    }
    const joined: string = open ? `${open.text} ${text.trim()}` : text.replace(LIST_ITEM, '').trim()
    if (joined === '') continue
    const parts = joined.split(SENTENCE_END)
    const rest = parts.pop() ?? ''
    for (const [nth, part] of parts.entries())
      sentences.push({ line: nth === 0 ? (open?.line ?? line) : line, text: part })
    open = { line: parts.length === 0 ? (open?.line ?? line) : line, text: rest }
  }
  return open ? [...sentences, open] : sentences
}
