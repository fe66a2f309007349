// The words that open a wallet: 12 to 24 of them, in small letters, after a name for that.
const PHRASE =
  /(?:seed|recovery|secret|backup|mnemonic|wallet)[ _-]?(?:phrase|words|seed|mnemonic)?["'`*]{0,3}[ \t]{0,3}(?:is|are|was)?[ \t]{0,3}[:=]?\s{0,4}["'`*(]{0,3}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])/iy
const DISTINCT_MIN = 9
// Sentences are full of these, and no word list of wallets has them.
const SENTENCE_WORDS =
  /\b(?:the|and|with|for|are|was|you|your|that|this|from|have|will|not|but|can|its|has|they|their|when|into|than)\b/

/** True when a name for a seed phrase is followed by one; the same word over and over is an example. */
export function isSeedPhrase(text: string, at: number): boolean {
  PHRASE.lastIndex = at
  const phrase = PHRASE.exec(text)?.[1]
  if (phrase === undefined || SENTENCE_WORDS.test(phrase)) return false
  return new Set(phrase.split(/[ ,]+/)).size >= DISTINCT_MIN
}
