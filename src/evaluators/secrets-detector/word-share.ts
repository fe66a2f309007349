// Small letters with or without a capital, or capitals only.
const CHUNKS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g

// The 300 most frequent pairs of letters in English words and names in programs, by their first letter: 96 % of all pairs there,
// 44 % of those in random text.
const COMMON_PAIRS = new Set(
  `aabcdefgiklmnprstuvwxy babeilorsu cacehiklorstuy dabcdeilorsuy eabcdefgilmnopqrstuvwxy faefilortuy gaeghilnoprsu haeiortu
  iabcdefgklmnoprstvxz jaeosu kaeis ladefilmopstuvy mabeilmopsu nacdefgiklnopstuvy oabcdfgiklmnoprstuvwy paehiloprstu qu
  rabcdefgiklmnoprstuvy sacefhiklmopstuvy tacdehilmoprstuy uabcdefgilmnprst vaegio waehinors xeipt yaeinops zaei`
    .split(/\s+/)
    .flatMap((row) => [...row.slice(1)].map((second) => row[0] + second)),
)
const COMMON_SHARE_MIN = 0.8

// Shorter chunks are words only when they are well known: random text is full of plausible ones.
const SMALL_WORDS = new Set(
  `an as at be by do go he id if in io ip is it js me my no of ok on or os so to ts ui up us we db get set map key app api url uri web log
  out end add new old run box row col max min sum all any and for the not but you are has was one two day via use its lib bin src doc tag
  job dev ops env sql css xml ssh ftp tls ssl jwt aws gcp sdk cli bot hub net org com www ref idx err msg str int val var obj arr len num
  pos tmp sub mod ext arg opt can see how why who big red cat dog sun max top low raw end may pay buy try yes our his her let put per
  off own way man car bar foo baz fee ship pwd pin rsa oid iam`.split(/\s+/),
)

/** The share of the value (0 to 1) that reads like words: names and sentences are high, random tokens low. */
export function wordShare(value: string): number {
  let inWords = 0
  for (const [chunk] of value.matchAll(CHUNKS)) if (isWord(chunk.toLowerCase())) inWords += chunk.length
  return inWords / Math.max(1, value.length)
}

function isWord(chunk: string): boolean {
  if (chunk.length < 4) return SMALL_WORDS.has(chunk)
  let common = 0
  for (let at = 1; at < chunk.length; at++) if (COMMON_PAIRS.has(chunk.slice(at - 1, at + 1))) common++
  return common >= COMMON_SHARE_MIN * (chunk.length - 1) && /[aeiouy]/.test(chunk)
}
