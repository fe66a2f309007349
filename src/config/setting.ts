/** One setting: its name, what it means, and how its text is read. `read` throws with what would be right. */
export interface Setting<T> {
  readonly name: string
  readonly description: string
  /** The default shown in the docs; undefined when unset is a meaning of its own. */
  readonly defaultText?: string
  /** A secret is one even when it is malformed, so its value is repeated nowhere. */
  readonly isSecret?: true
  readonly read: (text: string) => T
}

/** Reads a whole number within limits. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`an integer from ${min} to ${max}`)
    return value
  }
}

/** Reads one of a few words. */
export function oneOf<const Word extends string>(allowed: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = allowed.find((candidate) => candidate === text)
    if (word === undefined) throw new Error(`one of ${allowed.join(', ')}`)
    return word
  }
}

/** Reads a text that has a form; `form` says in words what would be right. */
export function matching(pattern: RegExp, form: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new Error(form)
    return text
  }
}

/** Reads the address of a server, without a slash at the end. */
export function baseUrl(text: string): string {
  const url = URL.parse(text)
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isUsable || url.hash !== '') {
    throw new Error('an http or https URL without user, password and fragment')
  }
  return url.search === '' ? url.href.replace(/\/+$/, '') : url.href
}
