import zlib from 'node:zlib'
import { scanTraces } from '../../../src/lib/otlp/scan-traces.ts'
import { encodeTraces, type TestAttributes, type TestSpan, type TestValue } from '../../otlp/encode-traces.ts'
import { spansAsJson } from '../../otlp/official-spans.ts'
import { type Random, randomRequest } from '../../otlp/random-traces.ts'
import { HOSTILE_NUMBERS, HOSTILE_TEXTS } from '../hostile-values.ts'
import { mutatedText, mutatedValue } from '../routes/mutate-json.ts'
import { deepProtobuf, mutatedProtobuf } from './mutate-payload.ts'

/** A payload that can be saved as JSON and tried again. */
export interface OtlpInput {
  /** Against the official definitions; through the scan alone; or to the service over HTTP or gRPC. */
  readonly way: 'agree' | 'scan' | 'http' | 'grpc'
  readonly encoding: 'protobuf' | 'json'
  /** The compression that the request says; `grpc-encoding` over gRPC. */
  readonly compression: string
  /** As it goes out: compressed, and over gRPC with its prefix. */
  readonly bodyBase64: string
}

/** One input in so many goes to the service; the others stay in this process, where they are a hundred times as fast. */
const WIRE_ONE_IN = 8

/** A real payload, mostly with faults. */
export function makeOtlpInput(random: Random): OtlpInput {
  if (!random.chance(WIRE_ONE_IN)) return makeDecoderInput(random)
  const encoding = random.chance(3) ? 'json' : 'protobuf'
  const isIntact = random.chance(4)
  const sent = encodeTraces([
    { resource: { 'service.name': 'fuzz' }, scopes: [{ spans: chatSpans(random) }] },
  ])
  const payload =
    encoding === 'json' ? jsonOf(random, sent, isIntact) : isIntact ? sent : mutatedProtobuf(random, sent)
  return encoding === 'protobuf' && random.chance(3)
    ? overGrpc(random, payload)
    : overHttp(random, payload, encoding)
}

function makeDecoderInput(random: Random): OtlpInput {
  const bytes = randomRequest(random)
  const input = (way: OtlpInput['way'], encoding: OtlpInput['encoding'], body: Buffer): OtlpInput => ({
    way,
    encoding,
    compression: 'identity',
    bodyBase64: body.toString('base64'),
  })
  if (random.chance(5)) return input('scan', 'json', jsonOf(random, bytes, false))
  if (random.chance(20)) return input('scan', 'protobuf', deepProtobuf(random, bytes))
  return input('agree', 'protobuf', mutatedProtobuf(random, bytes))
}

function jsonOf(random: Random, protobuf: Buffer, isIntact: boolean): Buffer {
  const value = spansAsJson(scanTraces(protobuf).spans.map((view) => view.toSpan()))
  if (isIntact) return Buffer.from(JSON.stringify(value))
  if (random.chance(2)) return mutatedText(random, JSON.stringify(value))
  return Buffer.from(JSON.stringify(mutatedValue(random, value)) ?? 'null')
}

function overHttp(random: Random, payload: Buffer, encoding: OtlpInput['encoding']): OtlpInput {
  const [compression, compress] = random.pick(COMPRESSIONS)
  return {
    way: 'http',
    encoding,
    compression,
    bodyBase64: sometimesCut(random, compress(payload)).toString('base64'),
  }
}

function overGrpc(random: Random, payload: Buffer): OtlpInput {
  const [compression, compress] = random.pick(COMPRESSIONS.slice(0, 3))
  const message = compress(payload)
  const prefix = Buffer.alloc(5)
  prefix[0] = compression === 'identity' ? 0 : 1
  prefix.writeUInt32BE(message.length, 1)
  if (random.chance(12)) prefix[0] = random.below(256)
  if (random.chance(12))
    prefix.writeUInt32BE(random.pick([0, 1, message.length + 1, 2 ** 31, 2 ** 32 - 1]), 1)
  const framed = sometimesCut(random, Buffer.concat([prefix, message]))
  return { way: 'grpc', encoding: 'protobuf', compression, bodyBase64: framed.toString('base64') }
}

function sometimesCut(random: Random, bytes: Buffer): Buffer {
  return random.chance(12) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
}

/** The default takes a hundred times as long for a few bytes less. */
const QUICK = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }

const COMPRESSIONS: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => zlib.gzipSync(bytes)],
  ['deflate', (bytes) => zlib.deflateSync(bytes)],
  ['zstd', (bytes) => zlib.zstdCompressSync(bytes)],
  ['br', (bytes) => zlib.brotliCompressSync(bytes, QUICK)],
]

function chatSpans(random: Random): TestSpan[] {
  const traceId = randomId(random, 16)
  return Array.from({ length: 1 + random.below(4) }, () => {
    const startUnixNano = random.pick([
      BigInt(Date.now()) * 1_000_000n,
      0n,
      2n ** 63n,
      1_700_000_000_000_000_000n,
    ])
    return {
      traceId: random.chance(8) ? randomId(random, 16) : traceId,
      spanId: randomId(random, 8),
      name: random.pick(HOSTILE_TEXTS).toWellFormed(),
      kind: random.below(7),
      startUnixNano,
      endUnixNano: startUnixNano + BigInt(random.below(2_000_000_000)),
      attributes: chatAttributes(random),
      status: { code: random.below(4), message: random.pick(HOSTILE_TEXTS).toWellFormed() },
      ...(random.chance(2) ? { parentSpanId: randomId(random, 8) } : {}),
    }
  })
}

function chatAttributes(random: Random): TestAttributes {
  const text = () => random.pick(HOSTILE_TEXTS).toWellFormed()
  const value = (): TestValue =>
    random.pick<TestValue>([
      text(),
      { double: random.pick(HOSTILE_NUMBERS) },
      true,
      null,
      [text(), null],
      { map: { [text()]: 1 } },
    ])
  return {
    'gen_ai.system': 'openai',
    'gen_ai.prompt.0.content': text(),
    'gen_ai.completion.0.content': text(),
    'session.id': text().slice(0, 200),
    'gen_ai.usage.input_tokens': value(),
    'gen_ai.input.messages': random.pick<TestValue>([
      text(),
      '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
    ]),
    [text()]: value(),
  }
}

function randomId(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => 1 + random.below(255)))
}
