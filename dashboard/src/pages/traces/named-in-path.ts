import { useLocation } from 'wouter'

/**
 * The last part of the path of the page, as it was before it was encoded. The router gives it half decoded: a name with a
 * slash, a question mark or a percent sign could not be told from another.
 */
export function useNamedInPath(): string {
  useLocation()
  const last = location.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
