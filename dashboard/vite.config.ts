import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2023',
    // Everything is a file of its own: the page may load nothing that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': service, '/v2': service, '/docs': service, '/openapi.json': service } },
})
