import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText } from './fold-text.ts'

test('plain text and its punctuation stay as they are', () => {
  for (const text of ['Plain text, 1–2 “quoted” … £5', '请告诉我', '내일 알려 주세요'])
    assert.equal(foldText(text), text)
})

test('what cannot be seen is taken out', () => {
  assert.equal(foldText('pa\u200bss\u00ad\u2060word\ufeff'), 'password')
})

test('accents, wide, boxed and mathematical letters become plain ones', () => {
  assert.equal(foldText('pässwörd'), 'password')
  assert.equal(foldText('ｗｉｄｅ 𝓶𝓪𝓽𝓱 ⓡⓞⓤⓝⓓ 🅱🅾🆇'), 'wide math round box')
})

test('letters of other scripts become Latin among Latin ones only', () => {
  assert.equal(foldText('pаsswоrd'), 'password')
  assert.equal(foldText('соска сосна'), 'соска сосна')
})

test('small capitals become letters', () => {
  assert.equal(foldText('sᴍᴀʟʟ ᴄᴀᴘs'), 'small caps')
})
