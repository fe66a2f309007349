/** An expected call and the executed call that stands for it, both by their place in their list. */
export interface CallPair {
  readonly expected: number
  readonly executed: number
  readonly similarity: number
}
