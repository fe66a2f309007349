import { type CheckReader, isNegated, readerOf } from './text-check.ts'

// Languages that their letters give away.
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  russian: /\p{Script=Cyrillic}/gu,
  ukrainian: /\p{Script=Cyrillic}/gu,
  bulgarian: /\p{Script=Cyrillic}/gu,
  chinese: /\p{Script=Han}/gu,
  mandarin: /\p{Script=Han}/gu,
  japanese: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
  korean: /\p{Script=Hangul}/gu,
  arabic: /\p{Script=Arabic}/gu,
  persian: /\p{Script=Arabic}/gu,
  urdu: /\p{Script=Arabic}/gu,
  hebrew: /\p{Script=Hebrew}/gu,
  greek: /\p{Script=Greek}/gu,
  hindi: /\p{Script=Devanagari}/gu,
  marathi: /\p{Script=Devanagari}/gu,
  bengali: /\p{Script=Bengali}/gu,
  thai: /\p{Script=Thai}/gu,
  tamil: /\p{Script=Tamil}/gu,
}

// Languages in Latin letters, by words that hardly any sentence does without.
const COMMON_WORDS: Readonly<Record<string, string>> = {
  english: 'the and of to in is that it for was with are this you have not be on as he she they we my at',
  german:
    'der die das und ist nicht ein eine zu den mit von für auf im dem ich sie es wir sind auch wie wird oder',
  french: 'le la les et est une des du que pour dans pas vous je il elle nous sont sur avec au ce qui à ne',
  spanish: 'el la los las y es una de que en por para con no un se su del al como está son lo más yo',
  italian: 'il la le e è una di che per con non un si del della sono gli in da come più anche i nel ho',
  portuguese: 'o a os as e é uma de que em por para com não um se do da no na são como mais eu está',
  dutch: 'de het een en is niet van op voor met zijn ik je dat die te in er maar ook we naar bij aan',
  swedish: 'och att det som en på är av för med den till inte om ett jag han var de vi',
  polish: 'i w nie na się to jest z do że jak ale po co tak od za przez dla są',
  turkish: 'bir ve bu için ile da de çok ben ama gibi daha var ne o mi en kadar',
}

const NAMES = [...Object.keys(SCRIPTS), ...Object.keys(COMMON_WORDS)]
/** Fewer words than this do not show a language. */
const WORDS_MIN = 4

const SPOKEN = readerOf(
  new RegExp(
    `\\b(?:answer|respond|response|reply|write|written|writing|speak|say|translate|translation|explain|output|text)\\b[^.;]{0,80}?\\b(?:in|into|to|using)(?: the)? (${NAMES.join('|')})\\b(?: language| only)?(?! (?:history|literature|culture|cuisine|food|class|art|market))`,
    'i',
  ),
  ([, name = '']) => ({ about: `in ${name}`, holds: (text) => isInLanguage(text, name.toLowerCase()) }),
)

/** Demands on the language of the text. */
export const languageChecks: CheckReader = (sentence) =>
  SPOKEN(sentence).filter(({ to }) => !isNegated(sentence, to - 20))

/** Whether a text is in a language; undefined where it is too short to tell, or the language is not one of those known. */
export function isInLanguage(text: string, language: string): boolean | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return undefined
  const script = SCRIPTS[language]
  if (script) return (text.match(script)?.length ?? 0) >= letters / 2
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (latin < letters / 2) return false
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  if (words.length < WORDS_MIN) return undefined
  const shares = Object.entries(COMMON_WORDS).map(([name, list]) => {
    const common = new Set(list.split(' '))
    return { name, hits: words.filter((word) => common.has(word)).length }
  })
  const own = shares.find(({ name }) => name === language)?.hits ?? 0
  const most = Math.max(...shares.map(({ hits }) => hits))
  if (most < 2) return undefined
  return own === most ? true : own * 2 <= most ? false : undefined
}
