// Evaluated in the page: what has the focus, and whether a person can see that it does.
;(() => {
  const element = document.activeElement
  if (!element || element === document.body) return null
  const box = element.getBoundingClientRect()
  // A list or tree keeps the focus itself and says which of its rows is meant: that is what has to be marked.
  const active = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
  const style = getComputedStyle(active ?? element)
  const label = element.labels?.[0]?.textContent
  const labelledBy = element.getAttribute('aria-labelledby')?.split(' ') ?? []
  const name =
    element.getAttribute('aria-label') ??
    (labelledBy.map((id) => document.getElementById(id)?.textContent ?? '').join(' ') ||
      label ||
      element.textContent ||
      element.getAttribute('title') ||
      '')
  window.focusNumbers ??= new WeakMap()
  window.focusCount ??= 0
  if (!window.focusNumbers.has(element)) window.focusNumbers.set(element, ++window.focusCount)
  const hasOutline = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0
  const hasRing = style.boxShadow !== 'none'
  return {
    number: window.focusNumbers.get(element),
    role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    name: name.trim().replaceAll(/\s+/g, ' ').slice(0, 80),
    isInView:
      box.width > 0 &&
      box.height > 0 &&
      box.bottom > 0 &&
      box.top < innerHeight &&
      box.right > 0 &&
      box.left < innerWidth,
    isMarked: hasOutline || hasRing,
  }
})()
