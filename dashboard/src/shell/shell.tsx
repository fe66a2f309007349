import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { forgetKey } from '../api/key.ts'
import { Button } from '../ui/button.tsx'
import './shell.css'
import { keepTheme, readTheme, type Theme } from './theme.ts'
import { useWhoami } from './use-whoami.ts'

const SECTIONS = [
  { to: '/', title: 'Overview', below: [] },
  { to: '/setups', title: 'Setups', below: ['/setups'] },
  { to: '/monitors', title: 'Monitors', below: ['/monitors', '/evaluations'] },
  { to: '/traces', title: 'Traces', below: ['/traces', '/sessions'] },
  { to: '/evaluators', title: 'Evaluators', below: ['/evaluators'] },
  { to: '/settings', title: 'Settings', below: ['/settings'] },
] as const

/** The frame of every page: the current place and the navigation. */
export function Shell({ children }: { children: ReactNode }) {
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
        <nav aria-label="Main">
          <ul>
            {SECTIONS.map((section) => (
              <Section key={section.to} {...section} />
            ))}
          </ul>
        </nav>
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function Section({ to, title, below }: (typeof SECTIONS)[number]) {
  const [path] = useLocation()
  const isHere = path === to || below.some((start) => path === start || path.startsWith(`${start}/`))
  return (
    <li>
      <Link href={to} className="section" aria-current={isHere ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  )
}

function Account() {
  const whoami = useWhoami()
  return (
    <div className="account">
      {whoami.data ? (
        <p className="small">
          <strong>{whoami.data.project.name}</strong>
          <br />
          <span className="quiet">
            {whoami.data.org_name} · {whoami.data.environment}
          </span>
        </p>
      ) : null}
      <div className="row">
        <ThemeButton />
        <Button variant="quiet" onClick={forgetKey}>
          Sign out
        </Button>
      </div>
    </div>
  )
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const change = () => {
    const next = NEXT[theme]
    keepTheme(next)
    setTheme(next)
  }
  return (
    <Button variant="quiet" onClick={change} aria-label={`Theme: ${NAMES[theme]}. Change it`}>
      {NAMES[theme]}
    </Button>
  )
}
