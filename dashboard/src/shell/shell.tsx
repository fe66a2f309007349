import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { Account } from './account.tsx'
import { HealthStrip } from './health-strip.tsx'
import { Keys } from './keys.tsx'
import { isIn, SECTIONS } from './sections.ts'
import './shell.css'
import { listenForShortcuts, useShortcuts } from './shortcuts.ts'

// Few open them on every visit, and their controls would be a third of what the first page loads.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

type Overlay = 'palette' | 'shortcuts'

/** The frame of every page: the current place, the navigation, and the commands that work everywhere. */
export function Shell({ children }: { children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay>()
  useEffect(listenForShortcuts, [])
  useShortcuts(
    useMemo(
      () => ({
        title: 'Everywhere',
        shortcuts: [
          { keys: 'mod+k', label: 'Open the command palette', run: () => setOverlay('palette') },
          { keys: '?', label: 'List the keyboard shortcuts', run: () => setOverlay('shortcuts') },
        ],
      }),
      [],
    ),
  )
  const close = () => setOverlay(undefined)
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="shell-side">
        <Link href="/" className="brand">
          <img src="/assets/icon.svg" alt="" width="24" height="24" />
          Assay
        </Link>
        <button
          type="button"
          className="shell-search"
          aria-haspopup="dialog"
          onClick={() => setOverlay('palette')}
        >
          <Icon name="search" />
          <span className="shell-words">Search</span>
          <Keys of="mod+k" />
        </button>
        <Navigation />
        <Account onShortcuts={() => setOverlay('shortcuts')} />
      </header>
      <main id="content" tabIndex={-1}>
        <HealthStrip />
        {children}
      </main>
      <Suspense fallback={null}>
        {overlay === 'palette' ? (
          <Palette onClose={close} onShortcuts={() => setOverlay('shortcuts')} />
        ) : null}
        {overlay === 'shortcuts' ? <ShortcutList onClose={close} /> : null}
      </Suspense>
    </div>
  )
}

function Navigation() {
  const [path] = useLocation()
  return (
    <nav aria-label="Main">
      <ul>
        {SECTIONS.map((section) => (
          <li key={section.to}>
            <Link
              href={section.to}
              className="section"
              aria-current={isIn(section, path) ? 'page' : undefined}
            >
              <Icon name={section.icon} />
              {section.title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
