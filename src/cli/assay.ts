import { ConfigError } from '../config.ts'
import { PublicError } from '../lib/public-error.ts'
import { renderBanner } from './banner.ts'
import { UsageError } from './usage-error.ts'

const USAGE = `Usage: assay <command>

  start [--role <role>]       serve (the default); the role wins over ASSAY_ROLE: all, ingest, worker or api
  keys list                   show the API keys, never their secrets
  keys create [options]       make an API key and print it
  keys revoke <key id>        end an API key at once
  limits list [--org <id>]    show what organizations may use and what they use
  limits set --org <id> <limit>=<number> ...
                              change limits of an organization: 0 is no limit, default is the installation's
  parked list                 show requests that could not be stored
  parked show <id>            tell what is known about one
  parked replay <id>|--all    put one or all of them back, to be stored
  parked drop <id>            throw one away
  verify [--repair]           check the whole store, also while the service runs; repair what can be derived
  backup <file>               copy the embedded store, also while the service runs
  bench [options] [slug ...]  measure how right a judge is, on labelled data
  crashtest [options]         kill, fill and stop a service on this machine and count what is lost
  migrate-store [options]     move the embedded store to PostgreSQL
  fake-judge [options]        serve a model that answers by script, for trials and tests
  help                        show this
  version                     show the version

Options of keys:
  --org <id>                  organization; needed when there are several
  --project <id>              project; default: the first one
  --environment <slug>        default: prd
  --scopes <list>             comma-separated: ingest, read, write, admin; default: ingest,read,write
  --name <text>               for people, to tell keys apart

Options of bench:
  --judge <model>             provider/model, called as the settings say, or embedded
  --data <directory>          files named <evaluator>.<source>.jsonl, see docs/providers.md
  --rows <number>             most rows of each file; default: 100

Options of crashtest, which uses a temporary folder and never your store:
  --kills <number>            kills under load; default: 5
  --stop-seconds <number>     how long the process is stopped; default: 35
  --sockets <number>          connections of each kind that a hostile client opens; default: 50

Options of migrate-store:
  --from sqlite               the file in ASSAY_DATA_DIR; no service may have it open
  --to postgres               the database that ASSAY_DATABASE_URL names: an empty one, or one that a move was ended in

Options of fake-judge:
  --port <port>               default: 4141; 0 takes any free one
  --script <file>             a JSON list of replies, see docs/providers.md
  --unsupported <list>        channels it lacks, comma-separated: json_schema, json_object, tools

Settings are environment variables: see docs/configuration.md.
`

/** Runs one command of the command line; faults of the user become one line on standard error and exit code 1 or 2. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const [command = 'start', ...rest] = args
  try {
    await run(command, rest)
  } catch (error) {
    if (error instanceof UsageError) fail(`${error.message}\n\n${USAGE}`, 2)
    else if (error instanceof ConfigError || error instanceof PublicError) fail(error.message, 1)
    else if (isListenFault(error)) fail(`cannot listen: ${error.message}. Choose another PORT or HOST.`, 1)
    else fail(error instanceof Error ? error.message : String(error), 1)
  }
}

// Commands are imported when they are run, so that each starts with nothing but what it needs.
async function run(command: string, args: readonly string[]): Promise<void> {
  switch (command) {
    case 'start': {
      const role = readRole(args)
      const { serve } = await import('../main.ts')
      const env = role === undefined ? process.env : { ...process.env, ASSAY_ROLE: role }
      const started = await serve(env)
      return void process.stdout.write(renderBanner(started, process.stdout.isTTY))
    }
    case 'keys': {
      const { runKeysCommand } = await import('./keys.ts')
      return runKeysCommand(args, process.env)
    }
    case 'limits': {
      const { runLimitsCommand } = await import('./limits.ts')
      return runLimitsCommand(args, process.env)
    }
    case 'parked': {
      const { runParkedCommand } = await import('./parked.ts')
      return runParkedCommand(args, process.env)
    }
    case 'verify': {
      const { runVerifyCommand } = await import('./verify.ts')
      return runVerifyCommand(args, process.env)
    }
    case 'backup': {
      const { runBackupCommand } = await import('./backup.ts')
      return runBackupCommand(args, process.env)
    }
    case 'bench': {
      const { runBenchCommand } = await import('./bench.ts')
      return runBenchCommand(args, process.env)
    }
    case 'crashtest': {
      const { runCrashtestCommand } = await import('./crashtest.ts')
      const command = [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'start']
      return runCrashtestCommand(args, { command, env: process.env })
    }
    case 'migrate-store': {
      const { runMigrateStoreCommand } = await import('./migrate-store.ts')
      return runMigrateStoreCommand(args, process.env)
    }
    case 'fake-judge': {
      const { runFakeJudgeCommand } = await import('./fake-judge.ts')
      return runFakeJudgeCommand(args)
    }
    case 'version': {
      const { version } = await import('../config/version.ts')
      return void process.stdout.write(`${version}\n`)
    }
    case 'help':
    case '--help':
    case '-h':
      return void process.stdout.write(USAGE)
    default:
      throw new UsageError(`unknown command ${command}`)
  }
}

/** `--role` is the one setting that is also an option: the same image is started in several of them. */
function readRole(args: readonly string[]): string | undefined {
  const [option, value, ...rest] = args.flatMap((arg) => arg.split(/^(--role)=/).filter(Boolean))
  if (option === undefined) return undefined
  if (option !== '--role' || value === undefined || rest.length > 0)
    throw new UsageError(`start takes no ${rest[0] ?? option}; other settings are environment variables`)
  return value
}

function fail(message: string, code: number): void {
  process.stderr.write(`assay: ${message}\n`)
  process.exitCode = code
}

function isListenFault(error: unknown): error is Error {
  return ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(
    String((error as { code?: unknown })?.code),
  )
}
