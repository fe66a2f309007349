/** The file in which the first key waits for the operator. */
export interface KeyFile {
  readonly path: string
  /** The key in it; undefined when there is no file or no usable key. */
  read(): string | undefined
  /** Replaces the file: afterwards it holds the whole key, on disk, readable by its owner only. */
  write(secret: string): void
}
