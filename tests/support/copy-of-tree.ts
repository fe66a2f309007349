import { cpSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { temporaryDirectory } from './temporary-directory.ts'

const root = path.resolve(import.meta.dirname, '../..')

const COPIED = [
  'bin',
  'src',
  'models',
  'scripts',
  'docs',
  'package.json',
  'package-lock.json',
  'README.md',
  'LICENSE',
  'NOTICE',
  'CHANGELOG.md',
  'tsconfig.json',
  'tsconfig.build.json',
]

const DASHBOARD = ['index.html', 'package.json', 'public', 'src', 'tsconfig.json', 'vite.config.ts'].map(
  (name) => `dashboard/${name}`,
)

/** A copy of the working tree with the same packages, to build or to change without disturbing tests beside it. */
export function copyOfTree(): string {
  const directory = temporaryDirectory()
  for (const name of [...COPIED, ...DASHBOARD]) {
    cpSync(path.join(root, name), path.join(directory, name), { recursive: true })
  }
  for (const name of ['node_modules', 'dashboard/node_modules']) {
    symlinkSync(path.join(root, name), path.join(directory, name))
  }
  return directory
}
