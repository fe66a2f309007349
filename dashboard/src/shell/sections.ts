import type { IconName } from '../ui/icon-paths.ts'

/** A part of the dashboard that the navigation and the command palette lead to. */
export interface Section {
  readonly to: string
  readonly title: string
  readonly icon: IconName
  /** Addresses that belong to it, with everything below them. */
  readonly below: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  { to: '/', title: 'Home', icon: 'overview', below: ['/incidents'] },
  { to: '/inbox', title: 'Inbox', icon: 'inbox', below: ['/inbox'] },
  { to: '/setups', title: 'Setups', icon: 'setups', below: ['/setups'] },
  { to: '/monitors', title: 'Monitors', icon: 'monitors', below: ['/monitors', '/evaluations'] },
  { to: '/traces', title: 'Traces', icon: 'traces', below: ['/traces', '/sessions'] },
  { to: '/evaluators', title: 'Evaluators', icon: 'evaluators', below: ['/evaluators'] },
  { to: '/settings', title: 'Settings', icon: 'settings', below: ['/settings'] },
]

/** Whether an address belongs to a section. */
export const isIn = ({ to, below }: Section, path: string) =>
  path === to || below.some((start) => path === start || path.startsWith(`${start}/`))
