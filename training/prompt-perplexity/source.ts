/** Paragraphs of one kind, and how many times they count. */
export interface Source {
  readonly name: string
  readonly weight: number
  readonly paragraphs: readonly string[]
}
