// Builds what the package ships: dist/ with plain JavaScript, because Node.js does not strip types in node_modules, and the
// dashboard, whose packages have to be installed in its folder. Types are not checked here but by `npm run check`.

import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const dist = path.join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
run(root, 'node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--noCheck'])
for (const file of globSync('**/*.sql', { cwd: path.join(root, 'src') })) {
  cpSync(path.join(root, 'src', file), path.join(dist, file))
}
run(path.join(root, 'dashboard'), 'node_modules/.bin/vite', ['build', '--logLevel', 'error'])

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
