/** One line of a CSV file as RFC 4180 has it. An absent value is an empty field. */
export function csvLine(fields: readonly (string | undefined)[]): string {
  return `${fields.map((field) => csvField(field ?? '')).join(',')}\r\n`
}

/**
 * A spreadsheet takes a text that begins like this for a formula, which the author of a prompt could use to run code on
 * the machine of its reader. An apostrophe before it makes it a text again.
 */
const FORMULA = /^\s*[=+\-@]|^[\t\r\n]/

function csvField(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
