// Started by the benchmark of detectors, in a process of its own: how much memory an evaluator's model takes, in MB.

import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'

const [slug = '', field = ''] = process.argv.slice(2)
const evaluator = findBuiltIn(slug)
if (!evaluator) throw new Error(`there is no evaluator ${slug}`)
const before = process.memoryUsage().rss
const input = { [field]: 'What is the capital of Norway? '.repeat(100), reference: 'Oslo' }
for (let call = 0; call < 5; call++) await executeEvaluator(evaluator, input, {})
console.log(Math.round((process.memoryUsage().rss - before) / 1_000_000))
