import { Page } from '../../ui/page.tsx'

// Loaded by the router, which takes a page as a default export.
// biome-ignore lint/style/noDefaultExport: see above.
export default function PagePlaceholder() {
  return <Page title="Monitors">Nothing here yet.</Page>
}
