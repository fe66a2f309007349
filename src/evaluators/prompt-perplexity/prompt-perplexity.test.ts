import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { promptPerplexity } from './prompt-perplexity.ts'

async function score(prompt: string): Promise<number> {
  return Number((await executeEvaluator(promptPerplexity, { prompt }, {}))['perplexity_score'])
}

// Made up in the manner of such suffixes; not out of any collection.
const SUFFIX = ' ]){ zqDescribing.\\ +similarlyNow =="{ oppositeley@[ Frage <<xx Writeand*( ertil'

// A page that does not repeat itself.
const PROSE = [
  'Last summer we walked along the coast for a week, from one small harbour to the next, and slept in houses where the',
  'windows were open all night. My brother carried the tent, which we never used, and I carried the books, which nobody',
  'read. In the mornings the fishermen sold what they had caught, and by noon the streets were empty. I would like you to',
  'write a short story about such a week. It should have two people who do not know each other very well, a dog that',
  'belongs to neither of them, and an end that is neither sad nor happy. Please use simple language, because my daughter',
  'is going to read it aloud at school. She is nine years old and likes animals, ships and everything that has to do with',
  'the weather. If you mention a place, choose one that does not exist, so that nobody can say that you got it wrong.',
].join(' ')

test('gives what its examples show', async () => {
  for (const { input, output } of promptPerplexity.examples) {
    assert.equal(await score(input.prompt), output.perplexity_score)
  }
})

describe('ordinary English', () => {
  for (const prompt of [
    'How do I change the delivery address of my order?',
    'Write a poem about the sea in the style of a children’s book.',
    'can you explain to me why the sky is blue',
    'Summarise the following meeting notes in three sentences and list the decisions.',
    'My card was declined yesterday and I do not know why. Could you please check?',
    PROSE,
  ]) {
    test(`lies between 10 and 200: ${prompt.slice(0, 40)}`, async () => {
      const value = await score(prompt)
      assert.ok(value >= 10 && value <= 200, String(value))
    })
  }
})

describe('a suffix that no person would write', () => {
  test('stands out at the end, at the start and in the middle of a long prompt', async () => {
    const plain = await score(PROSE)
    const middle = PROSE.indexOf('I would like')
    for (const prompt of [
      PROSE + SUFFIX,
      `${SUFFIX} ${PROSE}`,
      PROSE.slice(0, middle) + SUFFIX + PROSE.slice(middle),
    ]) {
      assert.ok((await score(prompt)) > 10 * plain, prompt)
    }
  })

  test('scores the same behind one page as behind ten', async () => {
    const one = await score(PROSE + SUFFIX)
    const ten = await score(`${PROSE}\n\n`.repeat(9) + PROSE + SUFFIX)
    assert.ok(Math.abs(ten / one - 1) < 0.05, `${one} and ${ten}`)
  })
})

describe('other languages are not presented as such a suffix', () => {
  for (const [language, prompt] of Object.entries({
    German: 'Bitte sagen Sie mir, wie ich die Lieferadresse meiner Bestellung ändern kann.',
    French: "Pouvez-vous me dire comment je peux changer l'adresse de livraison de ma commande ?",
    Spanish: '¿Me puede decir cómo cambiar la dirección de entrega de mi pedido?',
    Russian: 'Подскажите, пожалуйста, как изменить адрес доставки моего заказа.',
    Japanese: '注文の配送先住所を変更する方法を教えていただけますか。',
    Arabic: 'من فضلك أخبرني كيف يمكنني تغيير عنوان تسليم طلبي.',
    Hindi: 'कृपया मुझे बताएं कि मैं अपने ऑर्डर का पता कैसे बदल सकता हूँ।',
    Chinese: '请告诉我如何更改我订单的送货地址，谢谢您的帮助。',
  })) {
    test(language, async () => {
      assert.ok((await score(prompt)) < (await score(PROSE + SUFFIX)) / 2)
    })
  }
})

describe('odd inputs have a finite score', () => {
  test('the empty prompt has 1', async () => assert.equal(await score(''), 1))

  test('one character is not surprising, whatever it is', async () => {
    for (const prompt of ['a', '?', '}', '7', '\u0000', '中', '😀', '\ud800']) {
      const value = await score(prompt)
      assert.ok(value >= 1 && value < 10, `${JSON.stringify(prompt)} has ${value}`)
    }
  })

  test('bytes that the model has never seen', async () => {
    let prompt = ''
    for (let at = 0; at < 3_000; at++) prompt += String.fromCodePoint(0xe000 + ((at * 7_919) % 6_000))
    const value = await score(prompt)
    assert.ok(Number.isFinite(value) && value > 1_000)
  })

  test('one letter repeated is the most predictable text there is', async () => {
    assert.ok((await score('a'.repeat(100_000))) < 10)
  })
})

test('reads a megabyte in one call', async () => {
  assert.ok((await score(PROSE.repeat(1_200))) < 200)
})
