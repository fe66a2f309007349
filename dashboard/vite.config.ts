import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const CHUNKS = [
  { name: 'charts', holds: /\/node_modules\/uplot\/|\/src\/ui\/line-chart/ },
  {
    name: 'controls',
    holds:
      /\/node_modules\/@(ariakit|floating-ui)\/|\/src\/ui\/(combobox|dialog|leave-guard|send-spans|tabs)/,
  },
  { name: 'yaml', holds: /\/node_modules\/yaml\// },
  { name: 'base', holds: /\/node_modules\/|\/src\/(api|shell|ui)\// },
]
const service = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
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
