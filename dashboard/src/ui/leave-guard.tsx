import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { guardBackButton } from './back-button.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** The place that the user wanted to go to: an address, or back. */
type Way = { readonly to: string } | 'back'

/** Asks before what is not saved is left: by a link, by the back button, by closing the tab. Gives the question to show. */
export function useLeaveGuard(isDirty: boolean): ReactNode {
  const [way, setWay] = useState<Way>()
  const [, navigate] = useLocation()
  useEffect(() => (isDirty ? watchWays(setWay) : undefined), [isDirty])
  const leave = () => {
    setWay(undefined)
    // The dialog closes first, or it would give the focus back to a page that is gone.
    if (way === 'back') leaveBack()
    else if (way) navigate(way.to)
  }
  return (
    <Dialog title="Leave without saving?" isOpen={way !== undefined} onClose={() => setWay(undefined)}>
      <p>Your changes on this page will be lost.</p>
      <div className="row">
        <Button variant="primary" onClick={() => setWay(undefined)}>
          Stay
        </Button>
        <Button variant="danger" onClick={leave}>
          Leave
        </Button>
      </div>
    </Dialog>
  )
}

let isLeaving = false

function leaveBack(): void {
  isLeaving = true
  history.back()
}

function watchWays(ask: (way: Way) => void): () => void {
  const here = location.pathname
  const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
  const onClick = (event: MouseEvent) => {
    const link = (event.target as Element).closest?.('a')
    if (!link || event.defaultPrevented || isForNewTab(event, link) || link.origin !== location.origin) return
    if (link.pathname === here) return
    event.preventDefault()
    event.stopPropagation()
    ask({ to: link.pathname + link.search })
  }
  const onBack = () => {
    if (isLeaving || location.pathname === here) {
      isLeaving = false
      return false
    }
    // The address has changed already: it is put back before the page hears of it.
    history.pushState(null, '', address)
    ask('back')
    return true
  }
  let address = location.href
  const keepAddress = () => {
    if (location.pathname === here) address = location.href
  }
  const openBack = guardBackButton(onBack)
  window.addEventListener('beforeunload', onUnload)
  window.addEventListener('replaceState', keepAddress)
  document.addEventListener('click', onClick, true)
  return () => {
    openBack()
    window.removeEventListener('beforeunload', onUnload)
    window.removeEventListener('replaceState', keepAddress)
    document.removeEventListener('click', onClick, true)
  }
}

function isForNewTab(event: MouseEvent, link: HTMLAnchorElement): boolean {
  return (
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey ||
    link.target === '_blank'
  )
}
