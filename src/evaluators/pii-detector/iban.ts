import { modulo97 } from './check-digits.ts'

/** How long an IBAN is in each country that has them. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24
  SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const WRITTEN = /[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,29}/y

/** The end of the IBAN that begins at a place, or -1: country, its length, and the check of ISO 7064 mod 97. */
export function ibanEnd(text: string, start: number): number {
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase())
  if (length === undefined) return -1
  WRITTEN.lastIndex = start
  const [written = ''] = WRITTEN.exec(text) ?? []
  let characters = ''
  let at = 0
  for (; at < written.length && characters.length < length; at++) {
    const character = written[at] as string
    if (character !== ' ' && character !== '-') characters += character
  }
  if (characters.length !== length || /[A-Za-z0-9]/.test(text[start + at] ?? '')) return -1
  return modulo97(characters.slice(4) + characters.slice(0, 4)) === 1 ? start + at : -1
}
