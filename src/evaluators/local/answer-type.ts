import { datesOf } from './dates.ts'
import { nameWordsOf } from './names.ts'
import { quantitiesOf } from './quantities.ts'
import { wordsOf } from './words.ts'

/** The type of answer that a question asks for; `anything` where its words do not say. */
export type AnswerType = 'date' | 'number' | 'person' | 'place' | 'reason' | 'anything'

const ASKS: readonly (readonly [type: AnswerType, words: RegExp])[] = [
  [
    'date',
    /\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)|\b(?:in|on|since) (?:what|which) (?:year|date|day|month|decade|century)|\bwhat (?:was|is) the (?:year|date)\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|old|long|tall|far|high|big|large|deep|often|fast|heavy)\b|\bwhat (?:is|was|were|are) the (?:\w+ ){0,3}(?:percentage|number|amount|population|length|height|weight|distance|price|cost|age|rate|diameter|temperature|speed|range|size|income|score)\b|\bwhat (?:percentage|number|amount|age|price|rate)\b/i,
  ],
  [
    'reason',
    /\bwhy\b|\b(?:reason|purpose|goal|significance|consequences?|effects?|how (?:do|does|did|can|is|are|was|were))\b/i,
  ],
  ['person', /\bwho(?:m|se)?\b/i],
  [
    'place',
    /\bwhere\b|\b(?:what|which) (?:\w+ ){0,1}(?:city|country|state|town|place|region|county|continent|village)\b/i,
  ],
]

/** The type of answer that a question asks for, by its words. */
export function answerTypeOf(question: string): AnswerType {
  return ASKS.find(([, words]) => words.test(question))?.[0] ?? 'anything'
}

/** Whether an answer is of the kind that is asked for: 1 it is, -1 it is of another kind, 0 its form does not say. */
export function typeFit(question: string, answer: string): -1 | 0 | 1 {
  const words = wordsOf(answer)
  const hasNumber = quantitiesOf(answer).length > 0 || /\d/.test(answer)
  const hasDate = datesOf(answer).length > 0 || /\b(?:\d{2,4}s|century|centuries)\b/i.test(answer)
  const isOnlyNumber = hasNumber && words.every((word) => /\d/.test(word)) && words.length <= 3
  switch (answerTypeOf(question)) {
    case 'date':
      return hasDate ? 1 : hasNumber ? 0 : -1
    case 'number':
      return hasNumber ? (hasDate && isOnlyNumber ? 0 : 1) : -1
    case 'person':
    case 'place':
      return isOnlyNumber || (words.length <= 6 && nameWordsOf(`x ${answer}`).size === 0) ? -1 : 0
    case 'reason':
    case 'anything':
      return isOnlyNumber ? -1 : 0
  }
}
