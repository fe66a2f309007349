import type { components } from '../../api/schema.gen.ts'

/** A provider as the service names it. */
export type Provider = components['schemas']['ProviderKey']['provider']

/** A kind of account that can be chosen. Several kinds may speak the protocol of one provider. */
export interface ProviderChoice {
  readonly id: string
  readonly label: string
  readonly provider: Provider
  /** The address belongs to the account, so that it has to be given. */
  readonly needsAddress: boolean
  readonly addressHint?: string
  readonly model: string
}

/** The kinds of accounts, the most common first. */
export const PROVIDER_CHOICES: readonly ProviderChoice[] = [
  { id: 'openai', label: 'OpenAI', provider: 'openai', needsAddress: false, model: 'gpt-4o' },
  {
    id: 'anthropic',
    label: 'Anthropic',
    provider: 'anthropic',
    needsAddress: false,
    model: 'claude-sonnet-4-5',
  },
  {
    id: 'google',
    label: 'Google Gemini',
    provider: 'google',
    needsAddress: false,
    model: 'gemini-2.5-flash',
  },
  {
    id: 'azure',
    label: 'Azure OpenAI',
    provider: 'azure',
    needsAddress: true,
    addressHint: 'https://your-resource.openai.azure.com',
    model: 'my-deployment',
  },
  {
    id: 'bedrock',
    label: 'Amazon Bedrock',
    provider: 'bedrock',
    needsAddress: true,
    addressHint: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    model: 'anthropic.claude-3-5-sonnet-20241022-v2:0',
  },
  {
    id: 'compatible',
    label: 'OpenAI-compatible server',
    provider: 'openai',
    needsAddress: true,
    addressHint: 'http://localhost:11434/v1',
    model: 'qwen3:8b',
  },
]

/** The name of a provider for people. */
export function providerLabel(provider: string): string {
  return PROVIDER_CHOICES.find((choice) => choice.id === provider)?.label ?? provider
}
