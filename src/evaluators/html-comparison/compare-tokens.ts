import { alignTokens } from './align-tokens.ts'
import { isReduction } from './is-reduction.ts'
import type { TokenKind, TokenVocabulary } from './token-vocabulary.ts'

/**
 * The share of each kind in the score: tags, attributes and text. Text and structure are what a reader sees; attributes
 * are mostly how. A kind that neither document has gives its share to the others.
 */
export const SHARES = { structure: 0.4, attribute: 0.2, text: 0.4, layout: 0 } as const satisfies Record<
  TokenKind,
  number
>

/**
 * The highest score of documents that are not the same. Some differences have no weight of their own, for example in
 * the white space of a `pre`; only equal documents score 1.
 */
export const UNEQUAL_MAX = 0.999

/**
 * The similarity of two documents, from 0 to 1; exactly 1 for equal tokens and only for them.
 *
 * Of each kind it takes the weight in common, in order, over the weight in the document that has more of it. For a
 * document from which parts were deleted that is what is left over what there was: deleting more never scores higher.
 * The result depends on the order of `a` and `b` where the alignment is approximate; the caller fixes that order.
 */
export function compareTokens(a: Int32Array, b: Int32Array, vocabulary: TokenVocabulary): number {
  if (isEqual(a, b)) return 1
  const totalsA = totalWeights(a, vocabulary)
  const totalsB = totalWeights(b, vocabulary)
  const larger = mapKinds((kind) => Math.max(totalsA[kind], totalsB[kind]))
  const share = KINDS.reduce((sum, kind) => sum + (larger[kind] > 0 ? SHARES[kind] : 0), 0)
  if (share === 0) return UNEQUAL_MAX

  const worth = mapKinds((kind) => (larger[kind] > 0 ? SHARES[kind] / share / larger[kind] : 0))
  const worthOf = (totals: Weights) => KINDS.reduce((sum, kind) => sum + totals[kind] * worth[kind], 0)
  if (isReduction(a, b, vocabulary)) return Math.min(UNEQUAL_MAX, worthOf(totalsA))
  if (isReduction(b, a, vocabulary)) return Math.min(UNEQUAL_MAX, worthOf(totalsB))

  const values = new Float64Array(vocabulary.size)
  for (let id = 0; id < values.length; id += 1) {
    values[id] = vocabulary.weightOf(id) * worth[vocabulary.kindOf(id)]
  }
  const weighty = (tokens: Int32Array) => tokens.filter((id) => (values[id] as number) > 0)
  return Math.min(UNEQUAL_MAX, alignTokens(weighty(a), weighty(b), values))
}

type Weights = Record<TokenKind, number>

const KINDS = ['structure', 'attribute', 'text'] as const satisfies TokenKind[]

function mapKinds(value: (kind: (typeof KINDS)[number]) => number): Weights {
  return { structure: value('structure'), attribute: value('attribute'), text: value('text'), layout: 0 }
}

function totalWeights(tokens: Int32Array, vocabulary: TokenVocabulary): Weights {
  const totals: Weights = { structure: 0, attribute: 0, text: 0, layout: 0 }
  for (const id of tokens) totals[vocabulary.kindOf(id)] += vocabulary.weightOf(id)
  return totals
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}
