#!/usr/bin/env node
// The command of the installed package. Runs the built code, under the bundled Node.js where this one is older. It is read
// by the older one too, which has no enableCompileCache to import by name.

import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isRecentEnough, runWithNode } from './bundled-node.mjs'

if (isRecentEnough) {
  module.enableCompileCache()
  const { runCommandLine } = await import('../dist/cli/assay.js')
  await runCommandLine(process.argv.slice(2))
} else {
  runWithNode([fileURLToPath(import.meta.url), ...process.argv.slice(2)])
}
