import { parseArgs } from 'node:util'
import { openStream } from '../app/open-stream.ts'
import { createAppLogger } from '../app.ts'
import { readConfig } from '../config.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import type { ParkedDetail, ParkedMessage, ParkedMessages } from '../ports/span-stream.ts'
import { UsageError } from './usage-error.ts'

const PAGE = 100
const ACTIONS = ['list', 'show', 'replay', 'drop']

/** `assay parked ...`: looks at requests that could not be stored, puts them back or throws them away. */
export async function runParkedCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { action, id, isAll } = readArguments(args)
  const { config } = readConfig(env)
  // The service warned about the servers' sync setting when it started; this command does not repeat it.
  const stream = await openStream({ ...config, natsSync: 'always' }, createAppLogger(config))
  if (!stream) throw new UsageError('parked needs ASSAY_NATS_URL: without a stream nothing is parked')
  try {
    if (action === 'list') for await (const message of all(stream.parked)) print(lineOf(message))
    else if (isAll) await replayAll(stream.parked)
    else await runWithId(stream.parked, action, id)
  } finally {
    await stream.close()
  }
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parse(args)
  const [action = '', idText, ...rest] = positionals
  if (!ACTIONS.includes(action)) {
    throw new UsageError(action ? `unknown command parked ${action}` : `parked needs ${ACTIONS.join(', ')}`)
  }
  if (values.all && action !== 'replay') throw new UsageError(`parked ${action} takes no --all`)
  const needsId = action !== 'list' && !values.all
  const id = Number(idText)
  if (needsId && !(Number.isSafeInteger(id) && id > 0)) {
    throw new UsageError(`parked ${action} needs the id of a parked request`)
  }
  if (rest.length > 0 || (!needsId && idText !== undefined))
    throw new UsageError(`parked ${action}: too much is given`)
  return { action, id, isAll: values.all }
}

function parse(args: readonly string[]) {
  try {
    const options = { all: { type: 'boolean', default: false } } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function runWithId(parked: ParkedMessages, action: string, id: number): Promise<void> {
  const missing = new UsageError(`no request ${id} is parked`)
  if (action === 'show') {
    const detail = await parked.read(id)
    if (!detail) throw missing
    return print(await describe(detail))
  }
  const isDone = action === 'replay' ? await parked.replay(id) : await parked.drop(id)
  if (!isDone) throw missing
  print(action === 'replay' ? 'replayed' : 'dropped')
}

/** Those that are there now: one that is parked again meanwhile is not taken up a second time. */
async function replayAll(parked: ParkedMessages): Promise<void> {
  const ids: number[] = []
  for await (const { id } of all(parked)) ids.push(id)
  let replayed = 0
  for (const id of ids) if (await parked.replay(id)) replayed++
  print(`replayed ${replayed}`)
}

async function* all(parked: ParkedMessages): AsyncGenerator<ParkedMessage> {
  let afterId: number | undefined
  for (;;) {
    const page = await parked.list(PAGE, afterId)
    yield* page
    if (page.length < PAGE) return
    afterId = page.at(-1)?.id
  }
}

function lineOf({ id, parkedAtMs, bytes, reason }: ParkedMessage): string {
  return `${id}  ${new Date(parkedAtMs).toISOString()}  ${bytes} bytes  ${reason}`
}

async function describe({ request, ...message }: ParkedDetail): Promise<string> {
  if (!request) return `${lineOf(message)}\ncannot be decoded`
  const { tenant, receivedAtMs, byteLength } = request
  const spans = await unpackSpans(request).then(
    (unpacked) => `${unpacked.length} spans`,
    () => 'spans that cannot be read',
  )
  return [
    lineOf(message),
    `received      ${new Date(receivedAtMs).toISOString()}`,
    `organization  ${tenant.orgId}`,
    `project       ${tenant.projectId}`,
    `environment   ${tenant.envProjectId}`,
    `content       ${spans}, ${byteLength} bytes of protobuf`,
  ].join('\n')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
