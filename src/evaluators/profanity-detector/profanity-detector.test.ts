import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { loadLexicon, rot13 } from './lexicon.ts'
import { profanityDetector } from './profanity-detector.ts'

async function isSafe(text: string): Promise<unknown> {
  return (await executeEvaluator(profanityDetector, { text }, {}))['is_safe']
}

function flags(texts: readonly string[]): void {
  for (const text of texts) test(rot13(text), async () => assert.equal(await isSafe(text), false, text))
}

function passes(texts: readonly string[]): void {
  for (const text of texts) test(text, async () => assert.equal(await isSafe(text), true, text))
}

// Profane texts stand here in ROT13, as in the lexicon; so do the names of their tests.
const PLAIN = [
  'Lbh ner n pbzcyrgr nffubyr.',
  'Jung gur shpx?',
  'guvf fuvg ntnva',
  'fba bs n ovgpu',
  'lbh onfgneq',
  'gung vf ohyyfuvg',
  'OHYYFUVG!',
  'lbh qhzo shpx',
  'guvfvfshpxvatfghcvq',
  '#shpxlbh',
  'shpx_lbh',
  'xvpx lbhe nff',
  'gurfr ubrf',
  'ur vf n qvpx',
  'Jung n Qvpx ur vf.',
  'fhpu n cevpx',
  'ab ubzb',
  'lbh dhrre',
  'fhpu n dhrre.',
  'tbq qnza vg',
  'qnza vg',
  'Tb gb uryy!',
  'oybbql uryy',
  'uryy lrnu',
  'Jung gur uryy vf guvf penc?',
  'ubyl penc',
  'cvff bss',
  'jgs vf gung',
  'abguvat ohg juvgr genfu',
  'n oybj wbo',
  'fur vf n fyhg',
  'lbh ergneq',
  'gung vf fb ergneqrq',
  'Ur fnvq "fuvg" gjvpr.',
].map(rot13)
const DISGUISED = [
  's.h.p.x',
  's h p x lbh',
  'S_H_P_X',
  's-h-p-x bss',
  'sh-px',
  'zbgure-shpxre',
  's**x',
  's*px',
  's***',
  'o****',
  's--x',
  's#px',
  'fu*g unccraf',
  'c*ffl',
  'zbgures**xre',
  'tb s*** lbhefrys',
  'fu!g',
  '$uvg',
  '5uvg',
  'fu1g',
  'o1gpu',
  'ov+pu',
  'n$$ubyr',
  '@ffubyr',
  'a1tt3e',
  'q!px',
  'ch$$l',
  'shhhhpx',
  'shhpx',
  'ovvvvgpu',
  'nfffff',
  'ubrrrr',
  'chffllll',
  'f u v g',
].map(rot13)

test('gives what its examples show', async () => {
  for (const { input, output } of profanityDetector.examples) {
    assert.equal(await isSafe(input.text), output.is_safe, input.text)
  }
})

describe('flags profanity', () => flags(PLAIN))

describe('flags it in disguise', () => flags(DISGUISED))

describe('flags it in letters that only look like others', () => {
  const word = rot13('shpx')
  const spell = (first: number) =>
    [...word].map((letter) => String.fromCodePoint(first + letter.charCodeAt(0) - 97)).join('')
  flags([
    spell(0xff41), // full-width
    spell(0x1d4ea), // mathematical script
    spell(0x24d0), // in circles
    spell(0x1f170), // in boxes
    [...word].join('\u200b'), // characters without width between them
    [...word].join('\u00ad'), // soft hyphens
    [...word].join('\u0336'), // struck through
    word.replace('u', '\u00fc'), // an accent
    word.replace('c', '\u0441'), // a Cyrillic letter
    word.replace('u', '\u03c5'), // a Greek one
    word.replace('u', '\u00b5'), // the sign for a millionth
    [...word].map((letter) => ({ u: '\u1d1c', c: '\u1d04', k: '\u1d0b' })[letter] ?? letter).join(''), // small capitals
  ])
})

describe('passes words and names that only contain something', () =>
  passes([
    'Scunthorpe, Penistone, Clitheroe and Lightwater',
    'Cockermouth and Cockfosters',
    'Essex, Sussex and Middlesex',
    'Alfred Hitchcock met Babcock, Woodcock and Hancock.',
    'Charles Dickens and Emily Dickinson',
    'Yamashita, Kinoshita, Takeshita and Matsushita',
    'Harshit Dikshit and Akshita',
    'Cushitic languages',
    'shiitake mushrooms and shittim wood',
    'The batsman mishit the ball.',
    'an assassin assesses the class',
    'a cocktail in the cockpit',
    'a cockatoo, a peacock, a shuttlecock and a cockroach',
    'saltwater',
    'the Wankel engine of a swanky car',
    'Slutsky equation',
    'Fukushima and Fukuoka',
    'Niger, Nigeria and Montenegro',
    'a niggardly tip, a niggling doubt, a snigger',
    'raccoons in a cocoon',
    'the Titanic and the titmouse',
    'therapist',
    'cucumber and cumin in these circumstances',
    'an analyst documents the analysis',
    'Arsenal',
    'Phuket',
    'Lesbos',
    'Nikka whisky',
    'Lake Tahoe and Ivanhoe',
    'Kuntz, Assad and Cassandra',
    "hello, shell, he'll, she'll, Michelle",
    'Picasso was not embarrassed in Massachusetts.',
    'kitchen, witch, stitch',
    'debugger',
  ]))

describe('passes medical, biological and neutral words', () =>
  passes([
    'The penis, the vagina, the anus and the rectum',
    'breast cancer screening',
    'semen analysis and masturbation',
    'a sperm whale',
    'a vaginal douche',
    'LGBT, gay and lesbian rights',
    'the queer community and queer theory',
    'Homo sapiens and Homo erectus',
    'mental retardation, formerly mentally retarded',
    'this vacuum sucks',
  ]))

describe('passes words in their innocent meaning', () =>
  passes([
    'Take the hoe and rake the soil in the garden.',
    'a tough row to hoe',
    'the ox and the ass',
    'a herd of wild asses',
    'the .ass subtitle file, file.ass',
    'The bitch had a litter of puppies.',
    "the king's bastard son drew a bastard sword",
    'The cock crowed at dawn.',
    'cock-a-doodle-doo',
    'a cock and bull story',
    'He will cock the gun.',
    'blue tits and great tits at the feeder, like finches',
    'tit for tat',
    'blue-footed boobies',
    'a chink in the armour, a chink of light',
    'spic and span, spick-and-span',
    'a fag end in the ashtray',
    'faggots and peas with gravy',
    "Offa's Dyke",
    'The dyke holds back the sea.',
    'a Maine Coon and a coon hound',
    'tranny fluid for my car',
    'magna cum laude',
    'a kitchen-cum-dining room',
    'Prick your finger.',
    'a pinprick test',
    'a fire that can retard the growth',
    'retarded potentials',
    'pussy willow and a pussycat',
    'Kaffir lime leaves',
    'a queer little feeling',
    'a crap game',
    'heaven and hell',
    'the damned souls',
    'ho ho ho, heave ho, gung ho',
    'a white trash bag',
    'jerk chicken and a jack of all trades',
    'WTF, the World Taekwondo Federation',
    'the MILF and the Moro peace talks',
    'Dildo, Newfoundland',
    'Jesus rode into Jerusalem on an ass.',
    'He turned the cock of the valve to stop the gas.',
    'Here, pussy! The cat did not come.',
    'a kookaburra or laughing jackass',
    'He was the bastard of a nobleman.',
    'Spotted dick with custard',
    'The Hoe in Plymouth overlooks the sea.',
    'The road to hell is paved with good intentions.',
  ]))

describe('passes names of people and titles of books', () =>
  passes([
    'Dick Cheney and Dick Van Dyke',
    'Philip K. Dick',
    'Tom, Dick and Harry',
    'Dick went home early.',
    'Dick’s Sporting Goods',
    '"Moby-Dick" and "Moby Dick"',
    'Alan Cumming and Mr. Cummings',
    'Kike Hernández',
    'Ho Chi Minh',
    'Thomas Crapper was a plumber.',
    'DICK CLARK PRODUCTIONS',
    'Richard, known as Dick, was born in 1932.',
    'Titty Hill is a hamlet in Sussex.',
    'Cox and Cocks were neighbours.',
    'Mr. Hoe',
    '"Of Human Bondage"',
    `"Lady Chatterley's Lover"`,
    '"The Vagina Monologues"',
    '"A Cock and Bull Story"',
    '"Chitty Chitty Bang Bang"',
    'Pussy Riot',
  ]))

describe('passes ordinary words of other languages', () =>
  passes([
    'Hoe is het met je? Ik weet niet hoe dat kan.',
    'Der Baum ist dick und alt, und er ist nicht hoch.',
    'Det är slut på maten och vi har inte mer.',
    'Acest a fost marcat cum că necesită schimbări.',
    'Ошибка при сохранении, соск и сосна',
    'El gato negro come una manzana.',
  ]))

describe('passes code, links and identifiers', () =>
  passes([
    'x = f**k + 1',
    'y = s**t',
    'print(f**k)',
    '**option a** and *emphasis*',
    '__init__ and a*b*c',
    'the model A55, the chip 4SS',
    'A. B. C. D. E. F.',
    'https://t.co/4ss8dick9',
    'see https://example.com/a/rather/long/path/that/goes/on/ass',
    'assets@ass.example.org',
    't-shirt, push-it, it is hit or miss',
  ]))

test('every word that is known in disguise is known as it is', async () => {
  for (const word of loadLexicon().disguised) assert.equal(await isSafe(word), false, rot13(word))
})

test('finds one word at the end of a megabyte, and none where there is none', async () => {
  const text = 'All work and no play makes a dull day, e.g. in the well-known 1980s film. '.repeat(14_000)
  assert.equal(await isSafe(text), true)
  assert.equal(await isSafe(`${text}${rot13('shpx')}`), false)
})

test('takes no quadratic time on runs that could begin something', async () => {
  const runs = [
    'a',
    'f',
    'f*',
    'a.',
    '@a',
    'a b ',
    'f1',
    'a\u0301',
    'ni',
    'f_',
    'sniggering ',
    'the garden hoe ',
  ]
  const texts = [
    ...runs.map((run) => (length: number) => run.repeat(length / run.length)),
    (length: number) => `ash${'a'.repeat(length)}`,
  ]
  for (const textOf of texts) {
    const read = (text: string) => async () => assert.equal(await isSafe(text), true)
    await assertGrowth(read(textOf(6_250)), read(textOf(400_000)), { factor: 64 }, textOf(20))
  }
})
