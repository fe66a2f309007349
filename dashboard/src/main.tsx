import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { readKey } from './api/key.ts'
import { App } from './app.tsx'
import { loadAllPages, loadPageAt } from './pages.ts'
import { applyAppearance } from './shell/appearance.ts'
import './ui/back-button.ts'
import './styles/font.css'
import './styles/tokens.css'
import './styles/base.css'

applyAppearance()

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A fault of the request stays one; only what may pass is tried again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
})

/** By then the first page has what it shows. */
const LOAD_OTHERS_MS = 2_000

// Not awaited: pages may need what is in this file, and would wait for its end.
void start(document.getElementById('root'))

async function start(root: HTMLElement | null): Promise<void> {
  if (!root) return
  const page = loadPageAt(new URL(location.href))
  // A visitor without a key sees the sign-in page first.
  if (readKey() !== undefined) (await page)?.prepare?.(queries, new URL(location.href))
  setTimeout(loadAllPages, LOAD_OTHERS_MS)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
}
