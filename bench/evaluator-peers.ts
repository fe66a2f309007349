import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ITEM_SCHEMA, itemsJson, prose, toolCalls } from './evaluator-cases.ts'

/** A peer's evaluator, prepared for one size of input. */
export interface Peer {
  readonly name: string
  readonly besides: string
  prepare(chars: number): () => unknown
}

const resolve = createRequire(path.join(import.meta.dirname, 'peers/package.json')).resolve

/** The peers, from bench/peers. Their types are not ours to check: they are loaded by name. */
export async function loadPeers(): Promise<Peer[]> {
  const autoevals = await load('autoevals')
  const agentevals = await load('agentevals')
  const Ajv = (await load('ajv')).default
  const compiled = new (Ajv.default ?? Ajv)().compile(ITEM_SCHEMA)
  const matchUnordered = agentevals.createTrajectoryMatchEvaluator({ trajectoryMatchMode: 'unordered' })
  return [
    {
      name: 'autoevals ValidJSON',
      besides: 'json-validator with schema',
      prepare: (chars) => {
        const output = itemsJson(chars)
        return () => autoevals.ValidJSON({ output, schema: ITEM_SCHEMA })
      },
    },
    {
      name: 'ajv, compiled once',
      besides: 'json-validator with schema',
      prepare: (chars) => {
        const output = itemsJson(chars)
        return () => compiled(JSON.parse(output))
      },
    },
    {
      name: 'agentevals unordered match',
      besides: 'agent-tool-trajectory',
      prepare: (chars) => {
        // From the same JSON texts that the evaluator gets.
        const executed = JSON.stringify(toolCalls(chars / 2).reverse())
        const expected = JSON.stringify(toolCalls(chars / 2))
        return () => matchUnordered({ outputs: asMessages(executed), referenceOutputs: asMessages(expected) })
      },
    },
    {
      name: 'autoevals Levenshtein',
      besides: 'html-comparison (nearest there is)',
      // Quadratic: beyond 2 KB a call takes seconds and says nothing new.
      prepare: (chars) => {
        const size = Math.min(chars, 2_048) / 2
        const [output, expected] = [prose(size), prose(size).replaceAll('fox', 'cat')]
        return () => autoevals.Levenshtein({ output, expected })
      },
    },
  ]
}

// The form that agentevals documents: an assistant message with tool calls.
function asMessages(calls: string) {
  return [{ role: 'assistant', content: '', tool_calls: JSON.parse(calls) }]
}

// biome-ignore lint/suspicious/noExplicitAny: packages without types of ours.
function load(name: string): Promise<any> {
  return import(pathToFileURL(resolve(name)).href)
}
