import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { startFakeModel } from '../../../src/cli/fake-judge/fake-model-server.ts'
import { call, FIRST_KEY } from '../../support/call.ts'
import { freePorts } from '../../support/free-ports.ts'
import { spawnGuarded } from '../../support/guarded-process.ts'
import { inheritedEnvironment, spawnService } from '../../support/process.ts'
import { checkClient, prepareFor, type Row } from './check-client.ts'
import type { Client } from './client.ts'
import { answerConversation, CONVERSATION } from './conversation.ts'
import { type Environment, installEnvironment } from './environment.ts'
import { startGrpcRecorder } from './grpc-recorder.ts'
import { type Refusal, startRecorder } from './recorder.ts'
import { countSpans, type Recording } from './recording.ts'

/** Longest time that a client may talk, and that its spans may take until they are scored. */
const PROGRAM_MS_MAX = 180_000
/** The end of what a program printed is shown when it fails. */
const OUTPUT_CHARS_MAX = 2_000
const SCORED_MS_MAX = 20_000

/** The row of a real client in the table, and the requests that it sent. */
export interface Played {
  readonly row: Row
  readonly recording: Recording
}

/** Runs a client with its real packages against a service of its own and compares what is stored and scored. */
export async function playClient(client: Client): Promise<Played> {
  const environment = installEnvironment(client.environment)
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'assay-clients-'))
  const [grpcPort] = await freePorts(1)
  const service = await spawnService({
    ASSAY_DATA_DIR: dataDir,
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_OTLP_GRPC_PORT: String(grpcPort),
    ...client.refusals?.settings,
  })
  const isFirstRefused = client.refusals?.isFirstRefused ?? false
  const model = await startFakeModel({ answer: answerConversation })
  const recorder = await startRecorder(service.url, isFirstRefused)
  const grpcRecorder = await startGrpcRecorder(`http://127.0.0.1:${grpcPort}`, isFirstRefused)
  const callable = {
    call: (...args: Parameters<typeof call> extends [string, ...infer Rest] ? Rest : never) =>
      call(service.url, ...args),
  }
  try {
    await prepareFor(client, callable)
    const recordedAt = new Date().toISOString()
    await runProgram(client, environment, {
      MODEL_URL: model.url,
      OTLP_URL: recorder.url,
      OTLP_GRPC_URL: grpcRecorder.url,
      SERVICE_URL: service.url,
    })
    const requests = [...recorder.requests, ...grpcRecorder.requests]
    const { calls } = recorder
    const row = await checkClient(client, callable, { spans: countSpans(requests), calls }, SCORED_MS_MAX)
    const packages = Object.fromEntries(client.packages.map((name) => [name, environment.versionOf(name)]))
    const refusals = [...recorder.refusals, ...grpcRecorder.refusals]
    return {
      row: { ...row, faults: [...row.faults, ...compareRefusals(client, refusals)] },
      recording: { packages, recordedAt, requests, calls },
    }
  } finally {
    await recorder.close()
    grpcRecorder.close()
    await model.close()
    await service.end('SIGTERM')
    service.abandon()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function compareRefusals({ refusals }: Client, seen: readonly Refusal[]): string[] {
  const expected = refusals?.statuses ?? []
  const unexpected = seen.filter(({ status }) => !expected.includes(status))
  const missing = expected.filter((status) => seen.every((refusal) => refusal.status !== status))
  return [
    ...unexpected.map(({ path: to, status }) => `refused: ${to} ${status}`),
    ...missing.map((status) => `never refused with ${status}`),
  ]
}

async function runProgram(
  client: Client,
  environment: Environment,
  urls: Readonly<Record<string, string>>,
): Promise<void> {
  const [command, ...args] = environment.command(client.program)
  const child = spawnGuarded(command, args, {
    env: {
      ...inheritedEnvironment(),
      PYTHONDONTWRITEBYTECODE: '1',
      // A recording says nothing about the machine it was made on.
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
      ...urls,
      API_KEY: FIRST_KEY,
      CONVERSATION: JSON.stringify(CONVERSATION),
      ...client.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const pipe of [child.stdout, child.stderr] as Readable[]) {
    pipe.on('data', (chunk) => {
      output += chunk
    })
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), PROGRAM_MS_MAX)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${client.program} ended with ${code}:\n${output.slice(-OUTPUT_CHARS_MAX)}`)
}
