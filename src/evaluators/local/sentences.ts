/** A longer stretch without an end of sentence is cut at a space. */
const SENTENCE_CHARS_MAX = 600
// The last word before a full stop that does not end a sentence; a number only at the beginning, where it numbers a list.
const ABBREVIATION =
  /^\(?(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|no|vol|fig|inc|ltd|co|corp|u\.s|u\.k|[a-z]|approx|dept|est|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$/i
const LIST_NUMBER = /^\s*\d{1,3}\.$/
// The end of a sentence, with closing quotes and brackets.
const BORDER = /(?<=[.!?][)\]"'”’»]*)\s+|(?<=[。！？])/u

/**
 * The sentences of a text in order, without bullets and numbers of lists. Abbreviations and initials do not end one. All
 * text is in some sentence; what has no letter and no digit is none.
 */
export function splitSentences(text: string): string[] {
  return text
    .split('\n')
    .flatMap(splitLine)
    .flatMap(cutLong)
    .map(withoutBullet)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

function splitLine(line: string): string[] {
  const sentences: string[] = []
  let open = ''
  for (const piece of line.split(BORDER)) {
    open = open === '' ? piece : `${open} ${piece}`
    if (!endsSentence(open)) continue
    sentences.push(open)
    open = ''
  }
  return open === '' ? sentences : [...sentences, open]
}

function endsSentence(text: string): boolean {
  if (text.length > SENTENCE_CHARS_MAX) return true
  return !LIST_NUMBER.test(text) && !ABBREVIATION.test(text.slice(text.lastIndexOf(' ') + 1))
}

function withoutBullet(sentence: string): string {
  return sentence.replace(/^\s*(?:[-*•‣▪#>]+\s+|\(?\d{1,3}[.)]\s+)/, '').trim()
}

function cutLong(sentence: string): string[] {
  const parts: string[] = []
  let rest = sentence
  while (rest.length > SENTENCE_CHARS_MAX) {
    const space = rest.lastIndexOf(' ', SENTENCE_CHARS_MAX)
    const at = space > SENTENCE_CHARS_MAX / 2 ? space : SENTENCE_CHARS_MAX
    parts.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...parts, rest]
}
