import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { findPii } from './find-pii.ts'
import type { Kind } from './finding.ts'
import { piiDetector } from './pii-detector.ts'

/** The kinds found at the default threshold, in the order of the text. */
function kindsIn(text: string, threshold = 0.8): Kind[] {
  const sure = findPii(text).filter(({ confidence }) => confidence >= threshold)
  return [...new Set(sure.toSorted((a, b) => a.start - b.start).map(({ kind }) => kind))]
}

describe('examples', () => {
  for (const { name, input, config, output } of piiDetector.examples) {
    test(name, async () => assert.deepEqual(await executeEvaluator(piiDetector, input, config), output))
  }
})

/** Texts with what is to be found in them and nothing else. */
const FOUND: readonly (readonly [text: string, ...kinds: Kind[]])[] = [
  ['Write to anna.schmidt+shop@mail.example.co.uk today', 'email'],
  ['mailto:o\u2019neil@example.org', 'email'],
  ['The card is 4111 1111 1111 1111, valid until next year.', 'card'],
  ['charge 378282246310005 please', 'card'],
  ['Card number: 5555-5555-5555-4444', 'card'],
  ['IBAN: DE89 3704 0044 0532 0130 00', 'iban'],
  ['pay to GB82WEST12345698765432 by monday', 'iban'],
  ['ssn 536-32-3065', 'ssn'],
  ['his social security number is 536323065', 'ssn'],
  ['ITIN 912-70-1234', 'ssn'],
  ['NHS number 943 476 5919', 'nationalId'],
  ['Aadhaar 2341 2341 2346', 'nationalId'],
  ['PESEL: 44051401359', 'nationalId'],
  ['mi DNI es 12345678Z', 'nationalId'],
  ['NIE X-1234567-L', 'nationalId'],
  ['BSN 111222333', 'nationalId'],
  ['my SIN is 130 692 544', 'nationalId'],
  ['CPF 111.444.777-35', 'nationalId'],
  ['CNPJ 11.222.333/0001-81', 'nationalId'],
  ['TFN 123 456 782', 'nationalId'],
  ['ABN 51 824 753 556', 'nationalId'],
  ['codice fiscale RSSMRA85T10A562S', 'nationalId'],
  ['NI number AB 12 34 56 C', 'nationalId'],
  ['VIN 1M8GDM9AXKP042788', 'vehicle'],
  ['passport no. C01X00T47', 'passport'],
  ["driver's license D1234567", 'licence'],
  ['driving licence number 99887766', 'licence'],
  ['send it to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'crypto'],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'crypto'],
  ['wallet 0x52908400098527886E0F7030069857D2E4169EE7', 'crypto'],
  ['login from 83.149.9.216 failed', 'ip'],
  ['peer 2001:db8:85a3::8a2e:370:7334 connected', 'ip'],
  ['fe80:0:0:0:200:f8ff:fe21:67cf is up', 'ip'],
  ['call +44 20 7946 0958', 'phone'],
  ['(212) 555-0123', 'phone'],
  ['ring me: 0151 23456789', 'phone'],
  ['tel. 06 12 34 56 78', 'phone'],
  ['reach us at 1-800-555-0199', 'phone'],
  ['221B Baker Street', 'address'],
  ['We are at 1600 Pennsylvania Avenue, Washington, DC 20500', 'address'],
  ['Lieferung an Hauptstraße 12', 'address'],
  ['12 rue de la Paix', 'address'],
  ['5 bis, rue des Lilas', 'address'],
  ['Lieferadresse: Am Alten Markt 3', 'address'],
  ['Please call Mrs. Hargreaves back.', 'person'],
  ['Calle Mayor 45, 2º', 'address'],
  ['Rua Augusta, 1508', 'address'],
  ['9 Abbey Gardens, London', 'address'],
  ['It was signed for by R. Castellanos.', 'person'],
  ['a letter to V. Quillfeather', 'person'],
  ['Mrs Banks', 'person'],
  ['Dr. Fields is late', 'person'],
  ['P.O. Box 1234', 'address'],
  ['my zip code is 90210', 'address'],
  ['postcode SW1A 2AA', 'address'],
  ['My name is Olga Petrova.', 'person'],
  ['Best regards,\nThomas Weber', 'person'],
  ['i talked to jennifer miller yesterday', 'person'],
  ['Dear Mrs Okafor,', 'person'],
  ['Меня зовут Ольга Петрова.', 'person'],
  ['你好，我叫王小明，想查询订单。', 'person'],
  ['私の名前は山田太郎です。', 'person'],
  ['田中と申します。', 'person'],
  ['제 이름은 김민수입니다.', 'person'],
]

describe('what is found', () => {
  for (const [text, ...kinds] of FOUND) test(text, () => assert.deepEqual(kindsIn(text), kinds))
})

/** Texts without personal data that look as if there were some. */
const NOTHING: readonly string[] = [
  '',
  'Version 10.2.14.1 is out, upgrade from 9.255.12.4',
  'section 4.3.2.1 of the report',
  'listening on 127.0.0.1 and 0.0.0.0, mask 255.255.255.0',
  'It happened at 12:30:45 on 2024-05-17.',
  'The meeting is on 12/05/2024 from 10:00 to 11:30.',
  'order 4111111111111112 has been shipped',
  'tracking number 1234567890123456',
  'IBAN DE88370400440532013000',
  'ssn 000-12-3456',
  'invoice 2024-000123 for 1,234,567.89 EUR',
  'Pi is 3.14159265358979',
  'git clone git@github.com:owner/name.git',
  'background: url(logo@2x.png)',
  'std::vector<int> and a::b',
  'CPF 111.444.777-36',
  'commit 52908400098527886e0f7030069857d2e4169ee7',
  'In 2019, Wall Street lost a third.',
  'On Wall Street, 2019 was a good year.',
  'Dear Sir or Madam,',
  'Library version: 93.155.112.40',
  'bound to 127.77.88.99',
  'Call me on 12.05.2024 or on 2024-05-17.',
  'call me about ssn 666-45-6789',
  'contact @jennifer on twitter',
  'C:\\Users\\Jennifer\\file.txt',
  'it is 3.4111111111111111 exactly',
  'order number 4111111111111111',
  'hello Tamil, thanks, Swedish',
  'I exchanged Russian rubles for Turkish lira.',
  'Mark the correct answer and bill me later.',
  "Parkinson's disease and the Doppler effect",
  'There are 3 lanes on the road and 2 via mail.',
  'We drove 12 miles down the street.',
  'He was born on 4 May 1985.',
  'ISBN 978-3-16-148410-0',
  'We moved from Lisbon to Buenos Aires.',
  'Microsoft and Deutsche Bank signed the contract.',
  'The Prime Minister arrived on Tuesday.',
  'Wo finde ich die Einstellungen für meine Benachrichtigungen?',
  'Où puis-je modifier mon adresse de livraison ?',
  '¿Cuándo llega mi pedido a Barcelona?',
  'Где находится ближайшая аптека?',
  '最寄りの駅はどこですか。',
  'متى يفتح المتحف؟',
  '我叫了外卖，还没送到。',
  '이 제품은 최고입니다.',
  'Call me Thursday or Friday in September.',
  'https://example.com/docs/4.2/index.html?id=12345678',
]

describe('what is left alone', () => {
  for (const text of NOTHING) test(JSON.stringify(text), () => assert.deepEqual(kindsIn(text), []))
})

describe('the threshold', () => {
  test('decides which findings count', async () => {
    const call = { text: 'The result was 130 692 544.' }
    const [finding] = findPii(call.text)
    assert.ok(finding && finding.confidence < 0.8)
    assert.equal((await executeEvaluator(piiDetector, call, {}))['has_pii'], false)
    const loose = await executeEvaluator(piiDetector, call, { probability_threshold: 0.5 })
    assert.equal(loose['has_pii'], true)
  })

  test('is compared with the confidence itself, inclusively', async () => {
    const text = 'reach me: jane@example.com'
    const [finding] = findPii(text)
    const at = finding?.confidence ?? Number.NaN
    assert.equal(
      (await executeEvaluator(piiDetector, { text }, { probability_threshold: at }))['has_pii'],
      true,
    )
    assert.equal(
      (await executeEvaluator(piiDetector, { text }, { probability_threshold: at + 0.001 }))['has_pii'],
      false,
    )
  })
})

describe('the reason', () => {
  test('names kinds in the order of the text, each once, and never a value', async () => {
    const text = 'Olga Petrova, olga@example.com or igor@example.com, +48 601 234 567'
    assert.deepEqual(await executeEvaluator(piiDetector, { text }, {}), {
      has_pii: true,
      reason: "Found a person's name, an email address and a phone number.",
    })
  })
})

describe('tricks of writing', () => {
  test('full-width and foreign digits are digits', () => {
    assert.deepEqual(kindsIn('card ４１１１１１１１１１１１１１１１'), ['card'])
    assert.deepEqual(kindsIn('card ٤١١١١١١١١١١١١١١١'), ['card'])
  })

  test('invisible characters and odd dashes are looked through, and places are those of the original', () => {
    const text = '\u200bcontact: ja\u200bne@exa\u00admple.com\u2060, ok'
    const [finding] = findPii(text)
    assert.equal(finding?.kind, 'email')
    assert.equal(
      text.slice(finding?.start, finding?.end).replace(/[\u200b\u00ad\u2060]/g, ''),
      'jane@example.com',
    )
    assert.deepEqual(kindsIn('ssn 536\u201332\u20133065'), ['ssn'])
  })

  test('places are right behind characters that become longer', () => {
    const text = 'ﬃ ﬃ ½ jane@example.com'
    const [finding] = findPii(text)
    assert.equal(text.slice(finding?.start, finding?.end), 'jane@example.com')
  })
})

describe('long and hostile texts', () => {
  test('finds what lies anywhere, also where windows meet', () => {
    for (const before of [16_300, 16_380, 16_384, 15_872, 50_000]) {
      const text = `${'lorem '.repeat(Math.ceil(before / 6)).slice(0, before)} jane.miller@example.com ${'ipsum '.repeat(50)}`
      assert.deepEqual(kindsIn(text), ['email'], String(before))
    }
  })

  test('finds a number in groups where windows meet', () => {
    for (let before = 16_360; before <= 16_390; before++) {
      const text = `${'lorem '.repeat(3_000).slice(0, before)} 4111 1111 1111 1111 ${'ipsum '.repeat(50)}`
      assert.deepEqual(kindsIn(text), ['card'], String(before))
    }
  })

  const PIECES = [
    '1 ',
    '1-',
    '1.',
    'a@',
    '@',
    'A1',
    'aa:',
    '::',
    'Anna ',
    'GB82 ',
    '+1 ',
    '(1)',
    'x',
    '\u0301',
    'e\u200b',
    '0',
    'apt 1 ',
  ]
  for (const piece of PIECES) {
    test(`takes time in proportion to the text for ${JSON.stringify(piece)} again and again`, async () => {
      const read = (length: number) => {
        const text = piece.repeat(Math.ceil(length / piece.length))
        return () => findPii(text)
      }
      await assertGrowth(read(6_250), read(400_000), { factor: 64 })
    })
  }
})
