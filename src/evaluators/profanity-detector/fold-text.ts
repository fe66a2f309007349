// Letters of other scripts that look like Latin ones, beside what they look like; and small capitals, which no
// normalisation takes for letters.
const LOOKALIKES = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    е: 'e',
    ё: 'e',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    х: 'x',
    і: 'i',
    ј: 'j',
    ѕ: 's',
    ԁ: 'd',
    ԛ: 'q',
    ԝ: 'w',
    һ: 'h',
    ӏ: 'l',
    ɡ: 'g',
    г: 'r',
    А: 'A',
    В: 'B',
    Е: 'E',
    К: 'K',
    М: 'M',
    Н: 'H',
    О: 'O',
    Р: 'P',
    С: 'C',
    Т: 'T',
    У: 'Y',
    Х: 'X',
    І: 'I',
    Ѕ: 'S',
    α: 'a',
    β: 'b',
    γ: 'y',
    ε: 'e',
    η: 'n',
    μ: 'u',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    σ: 'o',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ω: 'w',
    Α: 'A',
    Β: 'B',
    Ε: 'E',
    Η: 'H',
    Ι: 'I',
    Κ: 'K',
    Μ: 'M',
    Ν: 'N',
    Ο: 'O',
    Ρ: 'P',
    Τ: 'T',
    Υ: 'Y',
    Χ: 'X',
    Ζ: 'Z',
    ı: 'i',
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ħ: 'h',
    ß: 'b',
    ƒ: 'f',
    ս: 'u',
    օ: 'o',
    հ: 'h',
    ո: 'n',
    ᴀ: 'a',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ᴇ: 'e',
    ꜰ: 'f',
    ɢ: 'g',
    ʜ: 'h',
    ɪ: 'i',
    ᴊ: 'j',
    ᴋ: 'k',
    ʟ: 'l',
    ᴍ: 'm',
    ɴ: 'n',
    ᴏ: 'o',
    ᴘ: 'p',
    ʀ: 'r',
    ꜱ: 's',
    ᴛ: 't',
    ᴜ: 'u',
    ᴠ: 'v',
    ᴡ: 'w',
    ʏ: 'y',
    ᴢ: 'z',
  }),
)
const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'
const letters = [...LOOKALIKES.keys()].join('')
const RUN_WITH_LOOKALIKES = new RegExp(`(?<![A-Za-z])[A-Za-z]*[${letters}][A-Za-z${letters}]*`, 'g')
const HAS_LATIN = new RegExp(`[A-Za-z${SMALL_CAPITALS}]`)
// Not plain letters, nor punctuation and currency signs, nor Chinese, Japanese and Korean: only the rest can hide something.
const NEEDS_FOLDING =
  /[^\0-\x7f\xa0-\xa9\xab\xac\xae-\xb4\xb6-\xb9\xbb-\xbf\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u3000-\u3130\u3190-\u9fff\uac00-\ud7a3]/
// Marks on letters, characters without width, and the fillers that look like nothing.
const UNSEEN = /[\p{M}\p{Cf}\u115f\u1160\u3164]+/gu
const BOXED_LETTERS = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu

/**
 * The text as it reads: without what cannot be seen, without accents, wide, boxed and mathematical letters as plain ones. A
 * word of Latin letters with a few from other scripts among them becomes Latin; a word of another script stays.
 */
export function foldText(text: string): string {
  if (!NEEDS_FOLDING.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(UNSEEN, '')
    .replace(BOXED_LETTERS, (letter) =>
      String.fromCharCode(97 + (((letter.codePointAt(0) ?? 0) - 0x1f150) % 32)),
    )
    .replace(RUN_WITH_LOOKALIKES, (run) => (HAS_LATIN.test(run) ? asLatin(run) : run))
}

function asLatin(run: string): string {
  let latin = ''
  for (const letter of run) latin += LOOKALIKES.get(letter) ?? letter
  return latin
}
