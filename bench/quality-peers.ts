import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** A peer's detector on the rows of one evaluator: from the same input to the same field of the answer. */
export interface QualityPeer {
  readonly name: string
  answer(input: unknown): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

const resolve = createRequire(path.join(import.meta.dirname, 'peers/package.json')).resolve

const LOADERS: Readonly<Record<string, () => Promise<QualityPeer[]>>> = {
  'profanity-detector': loadProfanityPeers,
  'secrets-detector': loadSecretsPeers,
  'pii-detector': loadPiiPeers,
}

/** The npm peers of an evaluator, each as its own documentation sets it up. */
export async function loadQualityPeers(slug: string): Promise<QualityPeer[]> {
  return (await LOADERS[slug]?.()) ?? []
}

async function loadProfanityPeers(): Promise<QualityPeer[]> {
  const { RegExpMatcher, englishDataset, englishRecommendedTransformers } = await load('obscenity')
  const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })
  const { profanity } = await load('@2toad/profanity')
  const leo = (await load('leo-profanity')).default
  const peer = (name: string, isProfane: (text: string) => boolean): QualityPeer => ({
    name,
    answer: (input) => ({ is_safe: !isProfane((input as { text: string }).text) }),
  })
  return [
    peer('obscenity', (text) => matcher.hasMatch(text)),
    peer('@2toad/profanity', (text) => profanity.exists(text)),
    peer('leo-profanity', (text) => leo.check(text)),
  ]
}

/**
 * A text that it replaces counts as found. Its way through Google's service is left out: nothing here calls another
 * machine.
 */
async function loadPiiPeers(): Promise<QualityPeer[]> {
  const { SyncRedactor } = (await load('redact-pii')).default
  const redactor = new SyncRedactor()
  return [
    {
      name: 'redact-pii',
      answer: (input) => {
        const { text } = input as { text: string }
        return { has_pii: redactor.redact(text) !== text }
      },
    },
  ]
}

async function loadSecretsPeers(): Promise<QualityPeer[]> {
  const { lintSource } = await load('@secretlint/core')
  const preset = '@secretlint/secretlint-rule-preset-recommend'
  const config = { rules: [{ id: preset, rule: (await load(preset)).creator }] }
  return [
    {
      name: 'secretlint, recommended preset',
      answer: async (input) => {
        const source = {
          filePath: '/input.txt',
          content: (input as { text: string }).text,
          contentType: 'text',
        }
        const { messages } = await lintSource({ source, options: { config } })
        return { has_secret: messages.length > 0 }
      },
    },
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: packages without types of ours.
function load(name: string): Promise<any> {
  return import(pathToFileURL(resolve(name)).href)
}
