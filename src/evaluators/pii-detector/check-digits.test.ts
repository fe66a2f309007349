import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { modulo97, passesLuhn, passesVerhoeff } from './check-digits.ts'
import { passesBase58Check, passesBech32 } from './crypto-addresses.ts'
import { ibanEnd } from './iban.ts'
import {
  isChineseId,
  isCodiceFiscale,
  isCurp,
  isNif,
  isNino,
  isNric,
  isPersonalPan,
  isVin,
} from './lettered-ids.ts'
import {
  isAadhaar,
  isAbn,
  isAhv,
  isBsn,
  isCnpj,
  isCpf,
  isFodselsnummer,
  isItin,
  isNhsNumber,
  isNir,
  isPersonnummer,
  isPesel,
  isRsaId,
  isSin,
  isSsn,
  isSteuerId,
  isTckn,
  isTfn,
} from './national-ids.ts'
import { isCardNumber } from './payment-cards.ts'

/** Numbers that authorities and standards print as examples; every other last digit must be refused. */
const CHECKED: readonly (readonly [name: string, isValid: (digits: string) => boolean, example: string])[] = [
  ['Luhn', passesLuhn, '79927398713'],
  ['Verhoeff', passesVerhoeff, '2363'],
  ['Aadhaar', isAadhaar, '234123412346'],
  ['NHS number', isNhsNumber, '9434765919'],
  ['PESEL', isPesel, '44051401359'],
  ['BSN', isBsn, '111222333'],
  ['SIN', isSin, '130692544'],
  ['CPF', isCpf, '11144477735'],
  ['CNPJ', isCnpj, '11222333000181'],
  ['TFN', isTfn, '123456782'],
  ['personnummer', isPersonnummer, '8112189876'],
  ['AHV', isAhv, '7569217076985'],
  ['TCKN', isTckn, '10000000146'],
  ['RSA identity number', isRsaId, '8001015009087'],
  ['Steuer-ID', isSteuerId, '86095742719'],
  ['ABN', isAbn, '51824753556'],
  ['NIR', isNir, '255081416802538'],
  ['Visa', isCardNumber, '4111111111111111'],
  ['Mastercard', isCardNumber, '5555555555554444'],
  ['American Express', isCardNumber, '378282246310005'],
  ['Diners Club', isCardNumber, '30569309025904'],
]

describe('a check digit', () => {
  for (const [name, isValid, example] of CHECKED) {
    test(`of ${name} is the only one that passes`, () => {
      assert.equal(isValid(example), true)
      for (let digit = 0; digit < 10; digit++) {
        const changed = example.slice(0, -1) + digit
        if (changed !== example) assert.equal(isValid(changed), false, changed)
      }
    })
  }

  test('notices two swapped neighbours where the method promises it', () => {
    assert.equal(passesVerhoeff('2633'), false)
    assert.equal(passesLuhn('79927398731'), false)
    assert.equal(isNhsNumber('4934765919'), false)
  })

  test('of numbers with letters is one of many', () => {
    for (const [isValid, example] of [
      [isNif, '12345678Z'],
      [isNif, 'X1234567L'],
      [isCodiceFiscale, 'RSSMRA85T10A562S'],
      [isNric, 'S1234567D'],
      [isNric, 'G1234567X'],
    ] as const) {
      assert.equal(isValid(example), true, example)
      for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
        const changed = example.slice(0, -1) + letter
        if (changed !== example) assert.equal(isValid(changed), false, changed)
      }
    }
    assert.equal(isVin('1M8GDM9AXKP042788'), true)
    assert.equal(isVin('1M8GDM9A1KP042788'), false)
    assert.equal(isChineseId('11010519491231002X'), true)
    assert.equal(isChineseId('110105194912310021'), false)
    assert.equal(isCurp('HEGG560427MVZRRL04'), true)
    assert.equal(isCurp('HEGG560427MVZRRL05'), false)
  })

  test('of an IBAN is for its country and its length', () => {
    assert.equal(ibanEnd('GB82 WEST 1234 5698 7654 32', 0), 27)
    assert.equal(ibanEnd('DE89370400440532013000', 0), 22)
    assert.equal(ibanEnd('DE88370400440532013000', 0), -1)
    assert.equal(ibanEnd('DE8937040044053201300', 0), -1)
    assert.equal(ibanEnd('DE893704004405320130001', 0), -1)
    assert.equal(ibanEnd('ZZ89370400440532013000', 0), -1)
    assert.equal(modulo97('WEST12345698765432GB82'), 1)
  })

  test('of a cryptocurrency address covers all of it', () => {
    assert.equal(passesBase58Check('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'), true)
    assert.equal(passesBase58Check('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'), false)
    assert.equal(passesBech32('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'), true)
    assert.equal(passesBech32('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp'), false)
    assert.equal(passesBech32('bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'), true)
  })
})

describe('rules without a check digit', () => {
  test('refuse social security numbers that are never given out', () => {
    assert.equal(isSsn('536323065'), true)
    for (const never of ['000323065', '666323065', '900323065', '536003065', '536320000']) {
      assert.equal(isSsn(never), false, never)
    }
    assert.equal(isItin('912701234'), true)
    assert.equal(isItin('912891234'), false)
    assert.equal(isItin('812701234'), false)
  })

  test('know the letters of National Insurance numbers and of personal PAN cards', () => {
    assert.equal(isNino('AB123456C'), true)
    assert.equal(isNino('BG123456C'), false)
    assert.equal(isNino('AB123456E'), false)
    assert.equal(isPersonalPan('ABCPE1234F'), true)
    assert.equal(isPersonalPan('ABCCE1234F'), false)
  })

  test('know which numbers and lengths an issuer has', () => {
    assert.equal(isCardNumber('4111111111111'), false, 'the check fails')
    assert.equal(isCardNumber('4222222222222'), true, 'thirteen digits of Visa')
    assert.equal(isCardNumber('7123456789012342'), false, 'the check passes, but nobody issues these')
    assert.equal(isCardNumber('0000000000000000'), false)
  })

  test('need a day that can be', () => {
    assert.equal(isPesel('44131401358'), false)
    assert.equal(isFodselsnummer('01019050501'), true)
    assert.equal(isFodselsnummer('01019050502'), false)
  })
})
