/**
 * Signs that stand in for others in judged text, so that no server takes what is written there for its own control tokens.
 * They look alike and no normalisation of Unicode turns one into the other.
 */
export const HARMLESS_SIGNS: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '[': '⟦',
  ']': '⟧',
  ':': '∶',
}

const PLAIN_SIGNS = new Map(Object.entries(HARMLESS_SIGNS).map(([plain, harmless]) => [harmless, plain]))

/** A text with the signs that it had before it was shown to a judge; for finding what a judge has quoted. */
export function withPlainSigns(text: string): string {
  return text.replaceAll(/[‹›⟦⟧∶]/g, (sign) => PLAIN_SIGNS.get(sign) ?? sign)
}
