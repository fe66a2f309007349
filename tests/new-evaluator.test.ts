import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { copyOfTree } from './support/copy-of-tree.ts'

test('a new evaluator is scaffolded with a passing test, an entry in the registry and a page', () => {
  const tree = copyOfTree()
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8', env: plainEnvironment() })
  const made = run('scripts/new-evaluator.ts', 'is-empty')
  assert.equal(made.status, 0, made.stderr)
  assert.match(readFileSync(path.join(tree, 'src/evaluators/registry.gen.ts'), 'utf8'), /isEmpty,/)
  assert.ok(existsSync(path.join(tree, 'docs/evaluators/is-empty.md')))
  const tested = run('--test', 'src/evaluators/is-empty/is-empty.test.ts', 'src/evaluators/examples.test.ts')
  assert.equal(tested.status, 0, tested.stdout)
  assert.match(tested.stdout, /finds an empty text/)
  assert.equal(run('scripts/generate.ts', '--check').status, 0, 'generated files are fresh')

  const again = run('scripts/new-evaluator.ts', 'is-empty')
  assert.deepEqual([again.status, again.stderr.trim()], [2, 'src/evaluators/is-empty is there already'])
  assert.equal(run('scripts/new-evaluator.ts', 'Not A Slug').status, 2)
})

// Without the marks of the test runner, which would make the inner run report to the outer one.
function plainEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_TEST')))
}
