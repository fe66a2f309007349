import { after } from 'node:test'
import {
  type FakeModel,
  type FakeModelOptions,
  startFakeModel,
} from '../../src/cli/fake-judge/fake-model-server.ts'
import type { ObjectShape } from '../../src/domain/answer-shape.ts'
import { PROVIDERS, type Provider } from '../../src/domain/judgement.ts'
import type { ModelRequest } from '../../src/ports/model-client.ts'

/** A fake model that ends with the tests of the file. */
export async function fakeModelInTest(options: FakeModelOptions = {}): Promise<FakeModel> {
  const fake = await startFakeModel(options)
  after(() => fake.close())
  return fake
}

/** A shape with a bit of everything that verdicts are made of. */
export const VERDICT_SHAPE = {
  kind: 'object',
  fields: {
    verdict: { kind: 'choice', values: ['supported', 'contradicted'] },
    isVital: { kind: 'boolean' },
    score: { kind: 'number', min: 0, max: 1 },
    quotes: { kind: 'list', of: { kind: 'text' } },
  },
} as const satisfies ObjectShape

/** A fake model's answer when it is asked for that shape and told nothing else. */
export const VERDICT_TEXT = '{"verdict":"supported","isVital":true,"score":1,"quotes":["text"]}'

/** A key that can be looked for in messages. */
export const SECRET_KEY = 'sk-hidden-key-0123456789'

/** A request for a verdict of a provider, at the fake model. */
export function requestTo(
  fake: Pick<FakeModel, 'url'>,
  provider: Provider,
  changes: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    model: { provider, model: 'model-1' },
    access: { apiKey: SECRET_KEY, baseUrl: fake.url },
    messages: [
      { role: 'system', content: 'Judge.' },
      { role: 'user', content: 'The claim.' },
    ],
    answer: VERDICT_SHAPE,
    sampling: {},
    ...changes,
  }
}

/** All providers, for tests that hold for each. */
export const EVERY_PROVIDER: readonly Provider[] = PROVIDERS
