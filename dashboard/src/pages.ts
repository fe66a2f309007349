import { type LatePage, latePage, type PageModule } from './shell/late-page.tsx'

/** Every page and its address; of those that fit, the first one is meant. */
export const PAGES: readonly (LatePage & { readonly path: string })[] = [
  { path: '/', ...latePage(() => import('./pages/overview/home-page.tsx')) },
  { path: '/inbox', ...latePage(() => import('./pages/inbox/inbox-page.tsx')) },
  { path: '/incidents/:id', ...latePage(() => import('./pages/incidents/incident-page.tsx')) },
  { path: '/setups', ...latePage(() => import('./pages/setups/setups-page.tsx')) },
  { path: '/suggestions', ...latePage(() => import('./pages/suggestions/suggestions-page.tsx')) },
  { path: '/setups/new', ...latePage(() => import('./pages/setups/setup-editor-page.tsx')) },
  { path: '/setups/:externalId', ...latePage(() => import('./pages/setups/setup-editor-page.tsx')) },
  { path: '/monitors', ...latePage(() => import('./pages/monitors/monitors-page.tsx')) },
  { path: '/monitors/:id', ...latePage(() => import('./pages/monitors/monitor-page.tsx')) },
  { path: '/evaluations/:id', ...latePage(() => import('./pages/monitors/evaluation-page.tsx')) },
  { path: '/traces', ...latePage(() => import('./pages/traces/traces-page.tsx')) },
  { path: '/traces/:traceId', ...latePage(() => import('./pages/traces/trace-page.tsx')) },
  { path: '/sessions/:sessionId', ...latePage(() => import('./pages/traces/session-page.tsx')) },
  { path: '/evaluators', ...latePage(() => import('./pages/evaluators/evaluators-page.tsx')) },
  { path: '/evaluators/new', ...latePage(() => import('./pages/evaluators/evaluator-editor-page.tsx')) },
  { path: '/evaluators/:slug', ...latePage(() => import('./pages/evaluators/evaluator-page.tsx')) },
  {
    path: '/evaluators/:slug/edit',
    ...latePage(() => import('./pages/evaluators/evaluator-editor-page.tsx')),
  },
  { path: '/settings', ...latePage(() => import('./pages/settings/settings-page.tsx')) },
]

/** Loads the page at an address. One that cannot be loaded says so itself when it is opened. */
export async function loadPageAt({ pathname }: URL): Promise<PageModule | undefined> {
  const page = PAGES.find(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname))
  return page?.load().catch(() => undefined)
}

/** Loads all of them, so that opening one takes no wait. */
export async function loadAllPages(): Promise<void> {
  await Promise.allSettled(PAGES.map((page) => page.load()))
}
