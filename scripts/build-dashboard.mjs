// Builds the dashboard where its build is missing or older than its sources. Plain JavaScript, as run.mjs is.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from '../bin/bundled-node.mjs'
import { installPackages } from './install-packages.mjs'

const dashboard = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dashboard')
/** Says which sources the build was made from; Vite removes it when it writes another one. */
const marker = path.join(dashboard, 'dist/.built')

// Everything that a build depends on. Sizes and times stand for contents: every start looks at them.
const FOLDERS = ['src', 'public']
const FILES = ['index.html', 'package-lock.json', 'vite.config.ts']

/**
 * True when there is an up-to-date build afterwards. Says what went wrong otherwise, and leaves the last build in place.
 */
export function buildDashboard() {
  const hash = hashSources()
  if (existsSync(marker) && readFileSync(marker, 'utf8') === hash) return true
  if (!installPackages(dashboard, 'everything', { isPatient: false })) return false
  console.log('Building the dashboard ...')
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error']
  const { status, stdout, stderr } = spawnSync(findNode(), vite, {
    cwd: dashboard,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) {
    console.error(`${stdout ?? ''}${stderr ?? ''}`.trim())
    return false
  }
  writeFileSync(marker, hash)
  return true
}

function hashSources() {
  const hash = createHash('sha256')
  const add = (name) => {
    const { size, mtimeMs } = statSync(path.join(dashboard, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  for (const name of FOLDERS) for (const file of filesBelow(name)) add(file)
  for (const name of FILES) add(name)
  return hash.digest('hex')
}

function filesBelow(folder) {
  return readdirSync(path.join(dashboard, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dashboard, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort()
}
