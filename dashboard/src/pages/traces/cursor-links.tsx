import { Link, useLocation, useSearch } from 'wouter'
import { Button } from '../../ui/button.tsx'

/**
 * Leads to the next page of a list and back. Each page has an address of its own and a place in the history of the tab,
 * so that the back button leads to where one was.
 */
export function CursorLinks({ next, name = 'Older' }: { next: string | undefined; name?: string }) {
  const [path] = useLocation()
  const search = useSearch()
  const hrefOf = (cursor: string | undefined) => {
    const address = new URLSearchParams(search)
    if (cursor === undefined) address.delete('cursor')
    else address.set('cursor', cursor)
    const text = address.toString()
    return text ? `${path}?${text}` : path
  }
  const isFirst = !new URLSearchParams(search).has('cursor')
  const cameFromPage = (history.state as { isPage?: boolean } | null)?.isPage === true
  if (isFirst && next === undefined) return null
  return (
    <nav className="row" aria-label="Pages of the list">
      {isFirst ? null : (
        <Link href={hrefOf(undefined)} className="button button-plain">
          First page
        </Link>
      )}
      {!isFirst && cameFromPage ? <Button onClick={() => history.back()}>Previous page</Button> : null}
      {next === undefined ? (
        <span className="quiet">This is the last page.</span>
      ) : (
        <Link href={hrefOf(next)} state={{ isPage: true }} className="button button-plain">
          {`${name} →`}
        </Link>
      )}
    </nav>
  )
}
