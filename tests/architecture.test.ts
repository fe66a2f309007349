import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { commentSentences, pageHeadings, pageSentences } from './support/sentences.ts'

const root = path.dirname(import.meta.dirname)

/**
 * Which folder of src may import which others, besides itself. `app` is the composition root and may import everything;
 * `main` and `config` are files of their own.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  domain: ['lib'],
  ports: ['lib', 'domain'],
  evaluators: ['lib', 'domain', 'ports'],
  control: ['lib', 'domain', 'ports', 'evaluators'],
  pipeline: ['lib', 'domain', 'ports', 'evaluators'],
  query: ['lib', 'domain', 'ports', 'evaluators'],
  http: ['lib', 'domain', 'ports', 'evaluators', 'control', 'pipeline', 'query'],
  cli: [
    'lib',
    'domain',
    'ports',
    'evaluators',
    'control',
    'pipeline',
    'query',
    'http',
    'app',
    'main',
    'config',
  ],
  adapters: ['lib', 'domain', 'ports'],
  stores: ['lib', 'domain', 'ports'],
  config: ['lib', 'domain'],
  app: [
    'lib',
    'domain',
    'ports',
    'evaluators',
    'control',
    'pipeline',
    'query',
    'http',
    'adapters',
    'stores',
    'config',
  ],
  main: ['app', 'config', 'control'],
}

/** Folders of src/evaluators that are no evaluator. */
const SHARED_BY_EVALUATORS = ['kit', 'judged', 'local', 'text-checks', 'trajectory']

const LINES_MAX = 400

/** A sentence that begins so makes its reader look for the noun; a question may. */
const HALF_SENTENCE = /^[\s*_([]*(?:what|who|whose|whoever|nobody)\b/i
const QUESTION_WORD = /^(?:what|who|whose|which|why|how|where|when)\b/i
const IS_QUESTION = /\?[)*_"'`\]]*$/

/** Migrations are not among them, because a migration never changes once it is released. */
const COMMENTED = 'src,scripts,tests,bench,demo,dashboard/src'

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

describe('source files', () => {
  for (const file of sources) {
    test(`${file} imports only what its folder may`, () => {
      const home = areaOf(file)
      assert.ok(MAY_IMPORT[home], `no rule for ${home}: say in this test what it may import`)
      for (const target of relativeImports(file)) {
        const area = areaOf(target)
        assert.ok(
          area === home || MAY_IMPORT[home].includes(area),
          `${file} imports ${target}, but ${home} may import only ${MAY_IMPORT[home].join(', ') || 'nothing'}`,
        )
      }
    })
  }

  test('are named in kebab-case after what they hold, without barrels and junk drawers', () => {
    for (const file of sources) {
      const name = path.basename(file, '.ts')
      assert.match(name.replace(/\.gen$/, ''), /^[a-z0-9]+(-[a-z0-9]+)*$/, file)
      assert.ok(!['index', 'utils', 'util', 'helpers', 'common', 'misc'].includes(name), file)
    }
  })

  test('stay below the size at which a file holds two ideas', () => {
    for (const file of sources.filter((name) => !name.endsWith('.gen.ts'))) {
      const lines = read(file).split('\n').length
      assert.ok(lines <= LINES_MAX, `${file} has ${lines} lines`)
    }
  })

  test('read the environment in one place only', () => {
    for (const file of sources) {
      if (file === 'src/config.ts' || file === 'src/cli/assay.ts') continue
      assert.ok(!read(file).includes('process.env'), `${file} reads process.env`)
    }
  })

  test('write statements of a database in stores only', () => {
    // The examples of one evaluator are statements.
    for (const file of sources.filter((name) => !/^src\/(stores|evaluators\/sql-validator)\//.test(name))) {
      assert.doesNotMatch(
        read(file),
        /[`'"]\s*(SELECT\s[^;]*\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\s/,
        `${file} holds SQL`,
      )
    }
  })

  test('say in one sentence what every exported function, type and class is for', () => {
    // Routes, evaluators, storage operations and rows explain themselves through their definitions, port and columns.
    const documented = sources.filter(
      (file) => !/\/(routes|evaluators\/[a-z-]+)\/|-(operations|rows)\.ts$|\.gen\.ts$/.test(file),
    )
    for (const file of documented) {
      const lines = read(file).split('\n')
      for (const [at, line] of lines.entries()) {
        if (!/^export (async )?(function|interface|class) /.test(line)) continue
        const above = lines[at - 1] ?? ''
        assert.ok(/\*\/$/.test(above) || above.startsWith('//'), `${file}:${at + 1} has no sentence: ${line}`)
      }
    }
  })
})

test('no comment has a sentence that begins with "What", "Who", "Whose", "Whoever" or "Nobody"', () => {
  const files = globSync(`{${COMMENTED}}/**/*.{ts,tsx,js,mjs,css}`, {
    cwd: root,
    exclude: (name) => /(?:^|\/)(?:node_modules|testdata)$|\.gen\.ts$/.test(name),
  })
  assert.ok(files.length > sources.length)
  const found = files.flatMap((file) =>
    commentSentences(read(file))
      .filter(({ text }) => isHalfSentence(text))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  )
  assert.ok(
    found.length === 0,
    `say it with a noun: "The options of a server", not "What a server needs":\n${found.join('\n')}`,
  )
})

test('no page has such a sentence, or a heading that asks without a question mark', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']
  const found = [...pages, ...globSync('docs/*.md', { cwd: root })].flatMap((page) => {
    const sentences = pageSentences(read(page)).filter(({ text }) => isHalfSentence(text))
    const headings = pageHeadings(read(page)).filter(
      ({ text }) => QUESTION_WORD.test(text) && !IS_QUESTION.test(text),
    )
    return [...sentences, ...headings].map(({ line, text }) => `${page}:${line} ${text}`)
  })
  assert.ok(found.length === 0, `say it with a noun, or ask a question:\n${found.join('\n')}`)
})

test('every evaluator folder holds its definition, named after the slug', () => {
  for (const folder of globSync('src/evaluators/*/', { cwd: root })) {
    const slug = path.basename(folder)
    if (SHARED_BY_EVALUATORS.includes(slug)) continue
    assert.match(read(`src/evaluators/${slug}/${slug}.ts`), new RegExp(`slug: '${slug}'`))
  }
})

test('every decision is numbered once', () => {
  const numbers = globSync('docs/decisions/*.md', { cwd: root }).map((file) =>
    path.basename(file).slice(0, 4),
  )
  assert.ok(numbers.length > 0)
  for (const number of numbers) assert.match(number, /^\d{4}$/)
  assert.equal(new Set(numbers).size, numbers.length)
})

test('relative links in the documentation lead somewhere', () => {
  for (const page of globSync(['*.md', 'docs/**/*.md'], { cwd: root })) {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)) {
      const file = path.join(path.dirname(page), target)
      assert.equal(globSync(file, { cwd: root }).length, 1, `${page} links to ${target}`)
    }
  }
})

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

function isHalfSentence(text: string): boolean {
  return HALF_SENTENCE.test(text) && !IS_QUESTION.test(text)
}

/** `src/http/routes/x.ts` belongs to http, `src/app.ts` to app. */
function areaOf(file: string): string {
  return (file.split('/')[1] ?? '').replace(/\.ts$/, '')
}

function relativeImports(file: string): string[] {
  const specifiers = [...read(file).matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  )
  return specifiers.map((specifier) => path.normalize(path.join(path.dirname(file), specifier)))
}
