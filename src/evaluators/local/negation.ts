const NEGATION =
  /\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|can't|won't|n't|fails? to|failed to|unable|lacks?|lacked|denies|denied|refus(?:es|ed)|hardly|barely|un(?:likely|able))\b|n['’]t\b/gi

/** How often a text denies something. */
export function negationsOf(text: string): number {
  return [...text.matchAll(NEGATION)].length
}
