import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answersOfLabels, OWN_MODEL_HEADS, type OwnModelHead, TONES } from './own-model.ts'

const answers = (head: OwnModelHead, labels: readonly string[], chosen?: readonly string[]) =>
  answersOfLabels(OWN_MODEL_HEADS[head], labels, chosen)

describe('the labels of models that people publish', () => {
  const published: readonly (readonly [OwnModelHead, readonly string[], readonly (number | null)[]])[] = [
    [
      'toxicity',
      ['toxic', 'severe_toxic', 'obscene', 'threat', 'insult', 'identity_hate'],
      [0, null, null, null, null, null],
    ],
    ['toxicity', ['non-toxic', 'Toxic'], [null, 0]],
    ['toxicity', ['normal', 'hate speech', 'offensive'], [null, 0, 0]],
    ['injection', ['SAFE', 'INJECTION'], [null, 0]],
    ['injection', ['BENIGN', 'INJECTION', 'JAILBREAK'], [null, 0, 0]],
    ['injection', ['LABEL_0', 'LABEL_1'], [null, 0]],
    ['sexism', ['not sexist', 'sexist'], [null, 0]],
    ['sexism', ['whatever'], [0]],
    [
      'tone',
      ['anger', 'disgust', 'fear', 'joy', 'neutral', 'sadness', 'surprise'],
      ['anger', 'disgust', 'fear', 'joy', 'neutral', 'sadness', 'surprise'].map((name) =>
        (TONES as readonly string[]).indexOf(name),
      ),
    ],
  ]
  for (const [head, labels, expected] of published) {
    test(`${labels.join(', ')} are understood for ${head}`, () => {
      assert.deepEqual(answers(head, labels), expected)
    })
  }
})

test('chosen labels count, and no others', () => {
  assert.deepEqual(answers('toxicity', ['toxic', 'insult', 'threat'], ['insult', 'threat']), [null, 0, 0])
  assert.deepEqual(answers('injection', ['LABEL_0', 'LABEL_1', 'LABEL_2'], ['LABEL_2']), [null, null, 0])
})

test('labels that are chosen for tones are added to those that are named like one', () => {
  const joy = TONES.indexOf('joy')
  assert.deepEqual(answers('tone', ['Joy', 'love', 'a=b'], ['love=joy', 'a=b=joy']), [joy, joy, joy])
})

for (const [name, head, labels, chosen, fault] of [
  [
    'names that mean nothing here',
    'toxicity',
    ['yes', 'no'],
    undefined,
    /labels yes, no is known to mean toxic/,
  ],
  [
    'three numbered labels',
    'injection',
    ['LABEL_0', 'LABEL_1', 'LABEL_2'],
    undefined,
    /is known to mean injection/,
  ],
  [
    'two numbered labels in another order',
    'injection',
    ['LABEL_1', 'LABEL_0'],
    undefined,
    /is known to mean/,
  ],
  ['a chosen label that is not there', 'toxicity', ['toxic'], ['Toxic'], /no label Toxic among toxic/],
  [
    'a tone that is not named',
    'tone',
    ['joy', 'love'],
    undefined,
    /the labels love count for none of joy, anger/,
  ],
  [
    'a tone that there is not',
    'tone',
    ['joy', 'love'],
    ['love=bliss'],
    /love=bliss must be label=one of joy/,
  ],
  ['a tone without a label', 'tone', ['joy'], ['joy'], /joy must be label=one of joy, anger/],
  ['a tone of a label that is not there', 'tone', ['joy'], ['love=joy'], /no label love among joy/],
] as const) {
  test(`${name}: a fault that says so`, () => {
    const result = answers(head, labels, chosen)
    assert.ok('fault' in result)
    assert.match(result.fault, fault)
  })
}
