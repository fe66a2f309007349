// npm run release -- --image <name>@sha256:<digest> [--postgres <name>@sha256:...] [--nats <name>@sha256:...] [--out folder]:
// writes the deployment files of a release, in which images are named by their digests, with the SBOM and the licences beside
// them. The files of the repository stay as they are: they are for images that are built from it.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { reportLicences } from './licence-report.ts'
import { isPinned, pinImages, unpinnedImages } from './pin-images.ts'
import { buildSbom } from './sbom-document.ts'
import { shippedLockFiles } from './shipped-packages.ts'

const root = path.dirname(import.meta.dirname)
const { values } = parseArgs({
  options: {
    image: { type: 'string' },
    postgres: { type: 'string' },
    nats: { type: 'string' },
    out: { type: 'string', default: path.join(root, 'release') },
  },
})
const { image = '', postgres, nats, out } = values
if (!isPinned(image))
  fail('--image must be <name>@sha256:<64 hex digits>, as a registry tells it after a push')

const { text: licences, problems } = reportLicences(shippedLockFiles(root))
if (problems.length > 0) fail(problems.join('\n'))

const pins = { assay: image, ...(postgres ? { postgres } : {}), ...(nats ? { nats } : {}) }
write('LICENCES.txt', licences)
write('sbom.cdx.json', `${JSON.stringify(buildSbom(root), null, 2)}\n`)
cpSync(path.join(root, 'deploy/nats'), path.join(out, 'deploy/nats'), { recursive: true })
for (const file of ['compose.yaml', 'deploy/kubernetes/assay.yaml']) {
  const pinned = pinImages(readFileSync(path.join(root, file), 'utf8'), pins)
  const left = unpinnedImages(pinned)
  if (left.includes('assay') || !pinned.includes(image)) fail(`${file} does not name ${image}`)
  if (left.length > 0)
    console.warn(`${file}: ${left.join(', ')} can still change; pin with --postgres and --nats`)
  write(file, pinned)
}
console.log(`Released files for ${image}: ${path.relative(process.cwd(), out) || '.'}`)

function write(file: string, text: string): void {
  const target = path.join(out, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
