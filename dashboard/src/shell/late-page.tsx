import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, lazy, useState } from 'react'

/** The code of a page. */
export interface PageModule {
  readonly default: ComponentType
  /** Asks for what the page will show first, before it is drawn. */
  readonly prepare?: (queries: QueryClient, address: URL) => void
}

/** A page whose code is loaded when it is needed, or before. */
export interface LatePage {
  readonly Page: ComponentType
  load(): Promise<PageModule>
}

/**
 * Once React has shown something in place of a page whose code is missing, it shows that for 300 ms at least. So a page whose
 * code is there is shown as it is, and only the others wait in `lazy`.
 */
export function latePage(load: () => Promise<PageModule>): LatePage {
  let loaded: ComponentType | undefined
  const Waiting = lazy(load)
  return {
    Page() {
      // The first choice stays: changing the component would mount the page anew.
      const [Shown] = useState(() => loaded ?? Waiting)
      return <Shown />
    },
    async load() {
      const module = await load()
      loaded = module.default
      return module
    },
  }
}
