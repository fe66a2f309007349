/** The pattern cannot be compiled; the message says why, for the person who wrote it. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError'
}

/** A pattern did not finish within its time; the message reads on after the pattern's name: `took longer than ...`. */
export class RegexTimeout extends Error {
  override readonly name = 'RegexTimeout'
}
