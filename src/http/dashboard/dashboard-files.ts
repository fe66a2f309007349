import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ContentCoding } from '../accept-encoding.ts'

/** The folder that the dashboard is built into, seen from the sources as well as from the built service. */
export const DASHBOARD_DIR = path.join(import.meta.dirname, '../../../dashboard/dist')

/** The page itself. */
export const INDEX = 'index.html'

/** Smaller files are sent as they are: a header would cost more than is saved. */
const COMPRESSED_BYTES_MIN = 1_024
/** Of 11: the last steps take ten times as long and save little, and somebody is waiting for the first answer. */
const BROTLI_QUALITY = 9

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const COMPRESSED_TYPES = /charset=utf-8$/
/** Vite ends names in a hash of the content; one without a capital, a digit or an underscore could as well be a word. */
const HASHED_NAME = /-(?=[a-z-]*[A-Z\d_])[\w-]{8}\.\w+$/

const compressors: Readonly<Record<ContentCoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
}

/** A file of the dashboard, in memory. */
export class DashboardFile {
  readonly contentType: string
  readonly bytes: Buffer
  /** Changes with the content. */
  readonly hash: string
  /** Whether its name changes with its content, so that it can be kept for ever. */
  readonly hasHashedName: boolean
  readonly #compressed = new Map<ContentCoding, Promise<Buffer>>()

  constructor(name: string, bytes: Buffer) {
    this.contentType = TYPES[path.extname(name)] ?? 'application/octet-stream'
    this.bytes = bytes
    this.hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    this.hasHashedName = HASHED_NAME.test(name)
  }

  get isCompressible(): boolean {
    return this.bytes.length >= COMPRESSED_BYTES_MIN && COMPRESSED_TYPES.test(this.contentType)
  }

  /** The bytes in that encoding; compressed once, when first asked for. */
  compressed(coding: ContentCoding): Promise<Buffer> {
    const known = this.#compressed.get(coding)
    if (known) return known
    const made = compressors[coding](this.bytes)
    this.#compressed.set(coding, made)
    return made
  }
}

/** The files of a build by name, with slashes. A path is never made out of a request: what is not in here does not exist. */
export type DashboardBuild = ReadonlyMap<string, DashboardFile>

/** Reads the build when it is first asked for, and then keeps it, so that page and scripts always belong together. */
export class DashboardFiles {
  readonly #dir: string
  #build: Promise<DashboardBuild | undefined> | undefined

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Undefined while the dashboard is not built; it is looked for again the next time. */
  async read(): Promise<DashboardBuild | undefined> {
    this.#build ??= readBuild(this.#dir)
    try {
      const build = await this.#build
      if (!build) this.#build = undefined
      return build
    } catch (error) {
      this.#build = undefined
      throw error
    }
  }
}

async function readBuild(dir: string): Promise<DashboardBuild | undefined> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  // Links are no files here, and so lead nowhere.
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  const build = new Map<string, DashboardFile>()
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name)
    const key = path.relative(dir, file).split(path.sep).join('/')
    build.set(key, new DashboardFile(key, await readFile(file)))
  }
  return build.has(INDEX) ? build : undefined
}
