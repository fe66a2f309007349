// Installs the packages of a folder from its lockfile. Plain JavaScript, as run.mjs is.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/**
 * Installs unless a marker says that exactly this lockfile is installed already; false when it cannot. `service` leaves out
 * what only development needs. Without patience a network that does not answer is not waited for.
 */
export function installPackages(dir, level, { isPatient = true } = {}) {
  const marker = path.join(dir, 'node_modules/.assay-installed')
  const hash = createHash('sha256')
    .update(readFileSync(path.join(dir, 'package-lock.json')))
    .digest('hex')
  const installed = existsSync(marker) ? readFileSync(marker, 'utf8').trim() : ''
  if (installed === `${hash} everything` || installed === `${hash} ${level}`) return true

  console.log(`Installing packages${dir === root ? '' : ` for ${path.basename(dir)}`} ...`)
  const args = [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    level === 'service' ? '--omit=dev' : '--include=dev',
    ...(isPatient ? [] : ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000']),
  ]
  const { status } = spawnSync('npm', args, { cwd: dir, stdio: 'inherit' })
  if (status === 0) writeFileSync(marker, `${hash} ${level}\n`)
  else console.error(`npm ${args.join(' ')} failed in ${dir}. Check the network and try again.`)
  return status === 0
}
