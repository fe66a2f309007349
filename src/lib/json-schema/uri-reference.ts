// RFC 3986, section 5. The URL class is no help here: it refuses relative bases, which schemas without an absolute `$id`
// have, and it rewrites what it accepts.

interface UriParts {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
}

/** A URI without its fragment, and the fragment without its `#`; empty when there is none. */
export interface SplitUri {
  readonly uri: string
  readonly fragment: string
}

/** Splits a URI reference at its `#`. */
export function splitFragment(reference: string): SplitUri {
  const hash = reference.indexOf('#')
  if (hash === -1) return { uri: reference, fragment: '' }
  return { uri: reference.slice(0, hash), fragment: reference.slice(hash + 1) }
}

/** Resolves a reference against a base. Both without fragment; the base may be relative or empty. */
export function resolveUri(base: string, reference: string): string {
  if (reference === '') return base
  const to = parseUri(reference)
  if (to.scheme !== undefined) return writeUri({ ...to, path: removeDotSegments(to.path) })
  const from = parseUri(base)
  if (to.authority !== undefined) {
    return writeUri({ ...to, scheme: from.scheme, path: removeDotSegments(to.path) })
  }
  if (to.path === '') return writeUri({ ...from, query: to.query ?? from.query })
  const path = to.path.startsWith('/') ? to.path : mergePaths(from, to.path)
  return writeUri({ ...from, path: removeDotSegments(path), query: to.query })
}

function parseUri(text: string): UriParts {
  // The expression of RFC 3986, appendix B, without the fragment. It matches every text and cannot backtrack.
  const match = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text)
  return { scheme: match?.[1], authority: match?.[2], path: match?.[3] ?? '', query: match?.[4] }
}

function writeUri({ scheme, authority, path, query }: UriParts): string {
  return (
    (scheme === undefined ? '' : `${scheme}:`) +
    (authority === undefined ? '' : `//${authority}`) +
    path +
    (query === undefined ? '' : `?${query}`)
  )
}

function mergePaths(base: UriParts, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path
}

function removeDotSegments(path: string): string {
  if (!path.includes('.')) return path
  const kept: string[] = []
  const segments = path.split('/')
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1
    if (segment === '..' && kept.length > (path.startsWith('/') ? 1 : 0)) kept.pop()
    if (segment === '.' || segment === '..') {
      if (isLast) kept.push('')
    } else kept.push(segment)
  }
  return kept.join('/')
}
