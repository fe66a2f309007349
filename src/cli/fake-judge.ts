import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { startFakeModel } from './fake-judge/fake-model-server.ts'
import { CHANNELS, type Channel, type FakeReply, fakeScriptSchema } from './fake-judge/fake-reply.ts'
import { UsageError } from './usage-error.ts'

const OPTIONS = {
  port: { type: 'string', default: '4141' },
  script: { type: 'string' },
  unsupported: { type: 'string', default: '' },
} as const

/** `assay fake-judge`: a model on the loopback address that answers by script, until it is interrupted. */
export async function runFakeJudgeCommand(args: readonly string[]): Promise<void> {
  const values = readArguments(args)
  const replies = values.script === undefined ? [] : await readScript(values.script)
  const unsupported = readChannels(values.unsupported)
  const fake = await startFakeModel({ port: readPort(values.port), unsupported })
  fake.script(...replies)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close())
  process.stdout.write(
    `fake judge running at ${fake.url}\n` +
      `  use it:     ASSAY_JUDGE_BASE_URL=${fake.url}/v1\n` +
      `  script it:  curl ${fake.url}/script -d '[{"status": 429, "retryAfter": 2}, {"prose": true}]'\n` +
      `  look at it: curl ${fake.url}/requests\n`,
  )
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError('--port must be an integer from 0 to 65535')
  return port
}

async function readScript(file: string): Promise<FakeReply[]> {
  const script = fakeScriptSchema.safeParse(await readJson(file))
  if (!script.success) throw new UsageError(`--script ${file}: ${z.prettifyError(script.error)}`)
  return script.data
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--script ${file} cannot be read as JSON: ${(error as Error).message}`)
  }
}

function readChannels(text: string): Channel[] {
  const names = text.split(',').filter((name) => name !== '')
  const wrong = names.find((name) => !CHANNELS.includes(name as Channel))
  if (wrong !== undefined) {
    throw new UsageError(`--unsupported knows ${CHANNELS.join(', ')}, not ${wrong}`)
  }
  return names as Channel[]
}
