const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193

/** The hash of a word as it is looked up: in lower case and without accents. */
export function hashWord(word: string): number {
  const folded = foldWord(word)
  let hash = SEED
  for (let at = 0; at < folded.length; at++) hash = addToHash(hash, folded.charCodeAt(at))
  return hash
}

/** The hash of no characters, from which `addToHash` goes on. */
export const EMPTY_HASH = SEED

/** The hash of a word that is one character longer (FNV-1a over UTF-16 units). */
export function addToHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME)
}

/** Letters that have no decomposition but are commonly written with others. */
const WRITTEN_WITH: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
}

/** Lower case, without accents, so that `Müller`, `MULLER` and `muller` are one word. */
export function foldWord(word: string): string {
  const plain = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
  return plain.replace(/[ßæœøđðþłıħ]/g, (letter) => WRITTEN_WITH[letter] ?? letter)
}
