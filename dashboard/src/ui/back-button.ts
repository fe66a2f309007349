/** Runs when the user goes back or forward. It returns true to undo that step before other listeners see it. */
type Guard = () => boolean

let guard: Guard | undefined

// The first listener of all, because the router would have left the page before a later one is asked: main.tsx loads this
// file before anything is shown.
window.addEventListener('popstate', (event) => {
  if (guard?.()) event.stopImmediatePropagation()
})

/** Puts a guard before the back button; gives what takes it away. */
export function guardBackButton(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = undefined
  }
}
