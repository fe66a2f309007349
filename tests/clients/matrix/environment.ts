import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ENVIRONMENTS = path.join(import.meta.dirname, 'environments')
const PROGRAMS = path.join(import.meta.dirname, 'programs')
/** Ignored by git, like everything below `node_modules`. */
const INSTALLED = path.resolve(import.meta.dirname, '../../../node_modules/.cache/assay-clients')

/** How the program of a client is run, and which versions of packages it runs with. */
export interface Environment {
  readonly command: (program: string) => readonly [string, ...string[]]
  readonly versionOf: (name: string) => string
}

/** A way to install packages: the file that names them, how they are installed, and how a program runs with them. */
interface Installer {
  readonly file: string
  readonly install: (source: string, target: string) => void
  readonly environment: (source: string, target: string) => Environment
}

const INSTALLERS: readonly Installer[] = [
  { file: 'requirements.txt', install: installPython, environment: pythonEnvironment },
  { file: 'package.json', install: installNode, environment: nodeEnvironment },
  { file: 'pom.xml', install: installJava, environment: javaEnvironment },
  { file: 'go.mod', install: installGo, environment: goEnvironment },
]

/** Installs a set of packages, unless exactly that set is installed. Throws with the installer's output. */
export function installEnvironment(name: string): Environment {
  const source = path.join(ENVIRONMENTS, name)
  const target = path.join(INSTALLED, name)
  const installer = INSTALLERS.find(({ file }) => existsSync(path.join(source, file)))
  if (!installer) throw new Error(`${source} names no packages`)
  const stamp = hashOf(source)
  const stampFile = path.join(target, 'stamp')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    mkdirSync(target, { recursive: true })
    installer.install(source, target)
    writeFileSync(stampFile, stamp)
  }
  return installer.environment(source, target)
}

function installPython(source: string, target: string): void {
  run('python3', ['-m', 'venv', '--clear', target])
  // The file names every package, also those that others need.
  const requirements = path.join(source, 'requirements.txt')
  run(path.join(target, 'bin/pip'), ['install', '-q', '--no-deps', '-r', requirements])
}

function pythonEnvironment(source: string, target: string): Environment {
  const pinned = readFileSync(path.join(source, 'requirements.txt'), 'utf8').split('\n')
  return {
    command: (program) => [path.join(target, 'bin/python'), path.join(PROGRAMS, program)],
    versionOf: (name) => pinned.find((line) => line.startsWith(`${name}==`))?.split(/==|;| /)[1] ?? '',
  }
}

function installNode(source: string, target: string): void {
  cpSync(source, target, { recursive: true })
  // By the lock file, so that a run can be repeated; to renew it, change package.json and run npm install there.
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], target)
}

// A program finds its packages from the folder it is in.
function nodeEnvironment(_source: string, target: string): Environment {
  return {
    command: (program) => {
      cpSync(PROGRAMS, target, { recursive: true, filter: (file) => !/\.(py|java)$|__pycache__/.test(file) })
      return [process.execPath, path.join(target, program)]
    },
    versionOf: (name) =>
      JSON.parse(readFileSync(path.join(target, 'node_modules', name, 'package.json'), 'utf8')).version,
  }
}

function installJava(source: string, target: string): void {
  const pom = path.join(source, 'pom.xml')
  run('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${target}/lib`])
}

function javaEnvironment(source: string, target: string): Environment {
  const pom = readFileSync(path.join(source, 'pom.xml'), 'utf8')
  return {
    // The texts of the conversation have letters beyond ASCII.
    command: (program) => [
      'java',
      '-Dfile.encoding=UTF-8',
      '-cp',
      `${target}/lib/*`,
      path.join(PROGRAMS, program),
    ],
    versionOf: (name) =>
      pom.split(`<artifactId>${name}</artifactId>`)[1]?.match(/<version>(.+?)</)?.[1] ?? '',
  }
}

function installGo(source: string, target: string): void {
  run('go', ['build', '-mod=readonly', '-o', path.join(target, 'program'), '.'], source)
}

/** The program that was built is an argument of the one that starts it. */
function goEnvironment(source: string, target: string): Environment {
  const modules = readFileSync(path.join(source, 'go.mod'), 'utf8')
  return {
    command: (program) => [process.execPath, path.join(PROGRAMS, program), path.join(target, 'program')],
    versionOf: (name) => modules.split(`\t${name} v`)[1]?.split(/\s/)[0] ?? '',
  }
}

function run(command: string, args: readonly string[], cwd?: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`)
}

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted()) hash.update(readFileSync(path.join(folder, file)))
  return hash.digest('hex')
}
