import type { FakeRequest } from '../src/cli/fake-judge/fake-protocol.ts'
import type { FakeReply } from '../src/cli/fake-judge/fake-reply.ts'
import { SUPPORT_TOPICS } from './showcase-support.ts'

/**
 * Plays the language model that judges. It has no opinions: a statement holds when some sentence of the material has most
 * of its words, and that sentence is its quote. That is enough to tell the showcase's good answers from its bad ones.
 */
export function judgeByWords(request: FakeRequest): FakeReply | undefined {
  const text = request.messages.map(({ content }) => content).join('\n')
  const blocks = readBlocks(text)
  const fields = (request.schema?.['properties'] ?? {}) as Record<string, unknown>
  if ('sentences' in fields) return { content: { sentences: takeApart(text, blocks) } }
  if ('items' in fields) return { content: { items: judgeItems(request, blocks) } }
  if ('on_brand' in fields) return { content: judgeVoice(blocks) }
  return undefined
}

interface Line {
  readonly id: number
  readonly text: string
}

type Blocks = ReadonlyMap<string, string>

/** The fenced data of a question, by label. */
function readBlocks(text: string): Blocks {
  const fenced = /<data-(\w+) id="\d+" label="([^"]*)">\n([\s\S]*?)\n<\/data-\1>/g
  return new Map(Array.from(text.matchAll(fenced), ([, , label = '', data = '']) => [label, data]))
}

function linesOf(data: string | undefined): Line[] {
  return (data ?? '').split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
}

/** Every sentence is one statement; what a user wants is what asks for something, and nobody tells facts about themselves. */
function takeApart(text: string, blocks: Blocks): object[] {
  const wantsFacts = text.includes('one fact that the user tells')
  return linesOf(blocks.get('sentences')).map(({ id, text: sentence }) => ({
    id,
    statements: wantsFacts || isCourtesy(sentence) ? [] : [sentence],
  }))
}

function isCourtesy(sentence: string): boolean {
  return /^(?:I am sorry|Please|Yes:?$|Sure)/.test(sentence) && sentence.length < 40
}

function judgeItems({ schema, messages }: FakeRequest, blocks: Blocks): object[] {
  const verdicts = verdictsOf(schema)
  const [good = ''] = verdicts
  const bad = verdicts.at(-1) ?? ''
  const isAboutTurns = messages.some(({ content }) => content.includes('Each item is a turn'))
  return linesOf(blocks.get('items')).map(({ id, text }) => {
    if (good === 'answers' || isAboutTurns) {
      const isOff = OFF_TOPIC.some((words) => text.includes(words))
      const reason = isOff ? 'It leaves the subject.' : 'It speaks about the question.'
      return { id, quote: text, verdict: isOff ? bad : good, reason }
    }
    const quote = good === 'relevant' ? sameTopic(text, blocks) : supportFor(text, blocks)
    if (quote !== undefined) return { id, quote, verdict: good, reason: 'The material says so.' }
    return { id, quote: '', verdict: bad, reason: 'Nothing in the material says so.' }
  })
}

/** A passage of the help centre is relevant to the questions of its own topic. */
function sameTopic(passage: string, blocks: Blocks): string | undefined {
  const asked = [...blocks.values()].join('\n')
  const topic = SUPPORT_TOPICS.find(({ documents }) =>
    documents.some((document) => document.includes(passage)),
  )
  const questions = topic?.questions.concat(topic.next.map(({ question }) => question)) ?? []
  return questions.some((question) => asked.includes(question)) ? passage : undefined
}

/** The sentence of the material that has most of the statement's words; what the user said supports nothing. */
function supportFor(statement: string, blocks: Blocks): string | undefined {
  const conversation = blocks.get('conversation')
  if (conversation !== undefined) return fulfilment(conversation)
  const material = [...blocks].flatMap(([label, data]) =>
    label === 'items' || label === 'question' ? [] : [data],
  )
  const { sentence, share } = closestTo(statement, sentencesOf(material))
  return share >= SHARE_MIN ? sentence : undefined
}

/** The last message of the assistant, unless it gave up or left the subject. */
function fulfilment(conversation: string): string | undefined {
  const last = conversation.split('\n').findLast((line) => /^\[\d+\] assistant:/.test(line))
  const said = last?.replace(/^\[\d+\] assistant: ?/, '')
  if (said === undefined || OFF_TOPIC.some((words) => said.includes(words))) return undefined
  return said
}

/** Phrases of the showcase's applications when they leave the subject. */
const OFF_TOPIC = [
  'could not find',
  'Have you looked',
  'stop wasting',
  'spring collection',
  'gravel bikes',
  'cannot help',
  'Goodbye',
  'Which order',
  'Nobody can know',
  'narrower tyres',
]
/** The share of a statement's words that a sentence must have to support it. */
const SHARE_MIN = 0.45

function verdictsOf(schema: FakeRequest['schema']): string[] {
  const text = JSON.stringify(schema ?? {})
  const values = /"verdict":\{[^{}]*"enum":(\[[^\]]*\])/.exec(text)?.[1]
  return values === undefined ? [] : (JSON.parse(values) as string[])
}

function sentencesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n+|"/)).filter((sentence) => sentence.length > 12)
}

function closestTo(text: string, sentences: readonly string[]): { sentence: string; share: number } {
  const wanted = wordsOf(text)
  let closest = { sentence: '', share: 0 }
  for (const sentence of sentences) {
    const words = new Set(wordsOf(sentence))
    const share = wanted.filter((word) => words.has(word)).length / Math.max(1, wanted.length)
    if (share > closest.share) closest = { sentence, share }
  }
  return closest
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
}

function judgeVoice(blocks: Blocks): Record<string, unknown> {
  const text = [...blocks.values()].join(' ')
  const isRude = /idiot|your own fault|Goodbye|cannot help/i.test(text)
  const isCold = /Nobody can know|payable in advance|Which order/i.test(text)
  return {
    on_brand: !isRude,
    warmth: isRude ? 1 : isCold ? 2 : text.includes('sorry') ? 5 : 4,
    reason: isRude
      ? 'It blames the customer.'
      : isCold
        ? 'It is correct but cold.'
        : 'It is friendly and to the point.',
  }
}
