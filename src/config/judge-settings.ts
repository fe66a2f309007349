import path from 'node:path'
import { type ModelRef, PROVIDERS, parseModelName } from '../domain/judgement.ts'
import { baseUrl, integer, matching, oneOf, type Setting } from './setting.ts'

/** The operator's settings for judges. */
export interface JudgeConfig {
  readonly judgeModel?: ModelRef
  readonly judgeBaseUrl?: string
  readonly judgeApiKey?: string
  readonly embeddedJudge: 'on' | 'off' | 'always'
  readonly judgeMsMax: number
  readonly judgeConcurrency: number
  readonly judgeTokensPerMinute?: number
  readonly judgeCacheEntries: number
  readonly judgeCacheHours: number
  readonly judgePricesFile?: string
  readonly privacyGate: 'off' | 'on' | 'fail_closed'
  readonly secretsKey?: Uint8Array
  readonly providerBaseUrls?: readonly string[]
  readonly openaiApiKey?: string
  readonly openaiBaseUrl?: string
  readonly anthropicApiKey?: string
  readonly anthropicBaseUrl?: string
  readonly googleApiKey?: string
  readonly geminiApiKey?: string
  readonly azureApiKey?: string
  readonly azureResourceName?: string
  readonly azureBaseUrl?: string
  readonly bedrockApiKey?: string
  readonly awsRegion?: string
}

/** The settings of judges, in the order the docs show them. */
export const JUDGE_SETTINGS = {
  judgeModel: {
    name: 'ASSAY_JUDGE_MODEL',
    description:
      `The model that judges, as \`provider/model\`; the providers are ${PROVIDERS.join(', ')}, and without one of them ` +
      'it is openai. Without this setting it is `openai/gpt-4o` when openai is configured, and otherwise the embedded ' +
      'judge ([providers](providers.md)).',
    read: judgeModel,
  },
  judgeBaseUrl: {
    name: 'ASSAY_JUDGE_BASE_URL',
    description:
      "Address of the judge's provider, for example `http://localhost:11434/v1`; every server that speaks OpenAI's " +
      "chat completions can be named. Wins over the provider's own variable.",
    isSecret: true,
    read: baseUrl,
  },
  judgeApiKey: {
    name: 'ASSAY_JUDGE_API_KEY',
    description: "Key at the judge's provider. Wins over the provider's own variable.",
    isSecret: true,
    read: providerKey(),
  },
  embeddedJudge: {
    name: 'ASSAY_EMBEDDED_JUDGE',
    description:
      '`on`: without a provider the embedded judge answers, and monitors use it where it was measured to be good enough. ' +
      '`always`: monitors use it everywhere. `off`: never.',
    defaultText: 'on',
    read: oneOf(['on', 'off', 'always']),
  },
  judgeMsMax: {
    name: 'ASSAY_JUDGE_MS_MAX',
    description:
      'Longest time an evaluation with a judge may take, with all its questions and retries, in milliseconds.',
    defaultText: '60000',
    read: integer(100, 600_000),
  },
  judgeConcurrency: {
    name: 'ASSAY_JUDGE_CONCURRENCY',
    description: 'Calls that are under way at one provider at the same time.',
    defaultText: '8',
    read: integer(1, 1_000),
  },
  judgeTokensPerMinute: {
    name: 'ASSAY_JUDGE_TOKENS_PER_MINUTE',
    description: 'Tokens that may be sent to and come from one provider in a minute.',
    read: integer(1, 1_000_000_000),
  },
  judgeCacheEntries: {
    name: 'ASSAY_JUDGE_CACHE_ENTRIES',
    description:
      'Most answers of judges that are kept, so that the same question is not paid twice; 0: none.',
    defaultText: '100000',
    read: integer(0, 100_000_000),
  },
  judgeCacheHours: {
    name: 'ASSAY_JUDGE_CACHE_HOURS',
    description: 'How long an answer is kept after it was last used, in hours.',
    defaultText: '720',
    read: integer(1, 87_600),
  },
  judgePricesFile: {
    name: 'ASSAY_JUDGE_PRICES',
    description: 'Path of a JSON file with prices of models, which win over the built-in ones.',
    read: (text) => path.resolve(text),
  },
  privacyGate: {
    name: 'ASSAY_PRIVACY_GATE',
    description:
      '`on`: personal data and secrets that the detectors find are replaced before anything is sent to a provider. ' +
      '`fail_closed`: a text that has any is not sent at all.',
    defaultText: 'off',
    read: oneOf(['off', 'on', 'fail_closed']),
  },
  secretsKey: {
    name: 'ASSAY_SECRETS_KEY',
    description:
      'Base64 of 32 random bytes (`openssl rand -base64 32`), which encrypts provider keys that organizations store. ' +
      'Without it a service on SQLite makes a key of its own, `<data dir>/secrets-key`; on PostgreSQL none can be stored.',
    isSecret: true,
    read: secretsKey,
  },
  providerBaseUrls: {
    name: 'ASSAY_PROVIDER_BASE_URLS',
    description:
      'Addresses, separated by commas, that organizations may name beside the provider keys they store. Besides these they ' +
      "can only name hosts of Azure's and Bedrock's own: the service would call any address for them, also those that only " +
      'it can reach.',
    read: (text) => text.split(',').map((address) => baseUrl(address.trim())),
  },
  openaiApiKey: key('OPENAI_API_KEY', 'OpenAI, or the server at `OPENAI_BASE_URL`'),
  openaiBaseUrl: address('OPENAI_BASE_URL', 'OpenAI', 'https://api.openai.com/v1'),
  anthropicApiKey: key('ANTHROPIC_API_KEY', 'Anthropic'),
  anthropicBaseUrl: address('ANTHROPIC_BASE_URL', 'Anthropic', 'https://api.anthropic.com'),
  googleApiKey: key('GOOGLE_GENERATIVE_AI_API_KEY', 'Google, for Gemini'),
  geminiApiKey: key('GEMINI_API_KEY', 'Google, where `GOOGLE_GENERATIVE_AI_API_KEY` is unset'),
  azureApiKey: key('AZURE_API_KEY', "Azure's OpenAI; it also needs one of the next two"),
  azureResourceName: {
    name: 'AZURE_RESOURCE_NAME',
    description: 'The resource of Azure that is called, `https://NAME.openai.azure.com`.',
    read: matching(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'the name of a resource: letters, digits and hyphens'),
  },
  azureBaseUrl: address('AZURE_BASE_URL', 'Azure', 'made from the name of the resource'),
  bedrockApiKey: key('AWS_BEARER_TOKEN_BEDROCK', 'Amazon Bedrock; it also needs `AWS_REGION`'),
  awsRegion: {
    name: 'AWS_REGION',
    description: 'The region of Amazon Bedrock, for example `eu-central-1`.',
    read: matching(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a region like eu-central-1'),
  },
} satisfies { [Name in keyof Required<JudgeConfig>]: Setting<Required<JudgeConfig>[Name]> }

function judgeModel(text: string): ModelRef {
  const model = parseModelName(text)
  if (model.model === '' || /[\s\p{Cc}]/u.test(text)) throw new Error('a model like openai/gpt-4o')
  return model
}

function key(name: string, owner: string): Setting<string> {
  return { name, description: `Key at ${owner}.`, isSecret: true, read: providerKey() }
}

function providerKey(): (text: string) => string {
  return matching(/^[\x21-\x7e]{1,4096}$/, 'a key: visible ASCII characters without spaces')
}

function address(name: string, owner: string, normal: string): Setting<string> {
  const isUrl = normal.startsWith('https')
  return {
    name,
    description: `Address of ${owner}; unset: ${isUrl ? `\`${normal}\`` : normal}.`,
    isSecret: true,
    read: baseUrl,
  }
}

function secretsKey(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) throw new Error('base64 of 32 bytes')
  return new Uint8Array(Buffer.from(text, 'base64'))
}
