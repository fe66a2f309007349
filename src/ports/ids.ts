/** Makes identifiers that sort by time of creation and cannot be guessed. */
export interface IdSource {
  newId(): string
}
