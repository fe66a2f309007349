const NAME = 'assay.theme'
export type Theme = 'system' | 'light' | 'dark'

export function readTheme(): Theme {
  const kept = localStorage.getItem(NAME)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function applyTheme(theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function keepTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, theme)
  applyTheme(theme)
}
