/** `char-count` is exported as `charCount`. */
export function camelCase(slug: string): string {
  return slug.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())
}
