/** The file in which the first key waits for the operator. */
export interface KeyFile {
  readonly path: string
  /** The key in it; undefined when there is no file or no usable key. */
  read(): string | undefined
  /**
   * Keeps a key: the one that is in the file already, or else this one. Answers the one that is kept; it is on disk, whole,
   * and readable by its owner only. Two processes that call this at once get the same answer.
   */
  keep(secret: string): string
}
