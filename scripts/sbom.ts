// npm run sbom -- [--out file] [--timestamp 2026-01-02T03:04:05Z]: writes a CycloneDX document of everything that is shipped.

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildSbom } from './sbom-document.ts'

const root = path.dirname(import.meta.dirname)
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(root, 'dist/sbom.cdx.json') },
    timestamp: { type: 'string' },
  },
})
const document = buildSbom(root, values.timestamp)
mkdirSync(path.dirname(values.out), { recursive: true })
writeFileSync(values.out, `${JSON.stringify(document, null, 2)}\n`)
console.log(`${document.components.length} components: ${path.relative(process.cwd(), values.out)}`)
