// The command line of a checkout, from source: npm run assay -- <command>.

import { runCommandLine } from '../src/cli/assay.ts'

await runCommandLine(process.argv.slice(2))
