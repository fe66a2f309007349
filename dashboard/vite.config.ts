import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const CHUNKS = [
  { name: 'charts', holds: /\/node_modules\/uplot\/|\/src\/ui\/(line-chart|chart-|use-chart)/ },
  {
    name: 'controls',
    holds:
      /\/node_modules\/@(ariakit|floating-ui)\/|\/src\/ui\/(combobox|dialog|leave-guard|range-picker|send-spans|tabs)|\/src\/shell\/(palette|shortcut-list)/,
  },
  { name: 'results', holds: /\/src\/pages\/(jobs\/|monitors\/(evidence|outcomes|verdicts|words)\.)/ },
  { name: 'yaml', holds: /\/node_modules\/yaml\// },
  { name: 'base', holds: /\/node_modules\/|\/src\/(api|shell|ui)\// },
]
const service = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), font()],
  build: {
    target: 'es2023',
    // Everything is a file of its own: the page may load nothing that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few files: a page of thirty takes longer to fetch than to show. Styles are small enough to be one.
    cssCodeSplit: false,
    rollupOptions: { output: { manualChunks: chunkOf } },
  },
  server: { proxy: { '/v1': service, '/v2': service, '/docs': service, '/openapi.json': service } },
})

/** In this order. What is in none of them stays with its page, or is a file of its own where several pages need it. */
function chunkOf(file: string): string | undefined {
  return CHUNKS.find(({ holds }) => holds.test(file))?.name
}

/** Has the page ask for its font at once, not when the styles are read, and ships the licence beside it, as that asks for. */
function font(): Plugin {
  return {
    name: 'font',
    apply: 'build',
    generateBundle() {
      const licence = createRequire(import.meta.url).resolve('@fontsource-variable/inter/LICENSE')
      this.emitFile({
        type: 'asset',
        fileName: 'assets/inter-licence.txt',
        source: readFileSync(licence, 'utf8'),
      })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
        if (file === undefined) throw new Error('the build has no font')
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${file}` }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
