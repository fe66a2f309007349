import { splitSentences } from './sentences.ts'

// Phrases of a speaker who does not answer: does not know, cannot help, finds nothing in the given text.
const NO_ANSWER = new RegExp(
  [
    "\\bi (?:do not|don['’]t|really don['’]t) (?:know|have (?:any |enough |that |the |this |access|information))",
    "\\bi(?:['’]m| am) (?:not (?:sure|certain|aware|able)|unable|unsure|afraid i (?:can|do))",
    "\\bi (?:can(?:not|['’]t)|could not|couldn['’]t) (?:answer|say|tell|help|find|determine|provide|assist|confirm|verify)",
    '\\bi have no (?:idea|information|knowledge|way)',
    '\\bno idea\\b',
    '\\b(?:there is|there are|contains?|provides?|has|have|with) (?:no|not enough|insufficient) (?:mention|information|details?|data|evidence|answer)',
    '\\b(?:is|are|was|were) not (?:explicitly |specifically |clearly )?(?:mentioned|provided|stated|specified|given|available|clear|known|possible to (?:answer|determine|say|tell))',
    "\\b(?:does|do|did)(?: not|n['’]t) (?:explicitly |specifically |directly )?(?:mention|provide|state|specify|contain|include|say|give|answer)",
    "\\b(?:cannot|can['’]t|could not) be (?:determined|answered|known|found|inferred)",
    "\\bit(?:['’]s| is) (?:unclear|unknown|not (?:clear|known|possible))",
    '\\b(?:unknown|not applicable|n/a|no answer|no comment|not sure|unsure|unanswerable)$',
    '^(?:unknown|unclear|not sure|none given)\\b',
  ].join('|'),
  'i',
)
const OTHERWISE = /\b(?:however|but|although|nevertheless|that said|inferred|likely|probably)\b/i

/** Whether a text gives no answer: it is empty, or all it says is that it does not know or cannot say. */
export function isNoncommittal(text: string): boolean {
  const sentences = splitSentences(text)
  if (sentences.length === 0) return true
  return (
    sentences.some((sentence) => NO_ANSWER.test(plain(sentence))) &&
    sentences.every((sentence) => NO_ANSWER.test(plain(sentence)) || isFiller(sentence)) &&
    !OTHERWISE.test(text)
  )
}

/** Whether a sentence only accompanies an answer: an apology, an offer, a request for more. */
export function isFiller(sentence: string): boolean {
  return (
    /^(?:i(?:['’]m| am) (?:very |so )?sorry|sorry|apologies|hello|hi|hey|thanks?|thank you|great question|good question|sure|of course|certainly|please|let me know|feel free|i hope|is there anything|if you (?:have|need|would|want|can|could|provide)|could you|can you|would you)\b/i.test(
      sentence,
    ) && sentence.length < 160
  )
}

function plain(sentence: string): string {
  return sentence.replaceAll(/\s+/g, ' ').replace(/[.!?"'”’\s]+$/, '')
}
