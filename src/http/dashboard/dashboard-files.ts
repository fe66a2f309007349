import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { StaticFile } from '../static-file.ts'

/** The folder that the dashboard is built into, seen from the sources as well as from the built service. */
export const DASHBOARD_DIR = path.join(import.meta.dirname, '../../../dashboard/dist')

/** The page itself. */
export const INDEX = 'index.html'

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
/** Vite ends names in a hash of the content; one without a capital, a digit or an underscore could as well be a word. */
const HASHED_NAME = /-(?=[a-z-]*[A-Z\d_])[\w-]{8}\.\w+$/

/** A file of the dashboard. Vite gives most of them a name that changes with their content: those can be kept for ever. */
export function dashboardFile(name: string, bytes: Buffer): StaticFile {
  const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream'
  return new StaticFile(contentType, bytes, { isImmutable: HASHED_NAME.test(name) })
}

/** The files of a build by name, with slashes. A path is never made out of a request: what is not in here does not exist. */
export type DashboardBuild = ReadonlyMap<string, StaticFile>

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
  const build = new Map<string, StaticFile>()
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name)
    const key = path.relative(dir, file).split(path.sep).join('/')
    build.set(key, dashboardFile(key, await readFile(file)))
  }
  return build.has(INDEX) ? build : undefined
}
