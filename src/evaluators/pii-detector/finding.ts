/** The kinds of personal data, and their names in the reason. */
export const KIND_NAMES = {
  email: 'an email address',
  card: 'a payment card number',
  iban: 'a bank account number',
  ssn: 'a social security number',
  nationalId: 'a national identification number',
  passport: 'a passport number',
  licence: 'a driving licence number',
  vehicle: 'a vehicle identification number',
  crypto: 'a cryptocurrency address',
  ip: 'an IP address',
  phone: 'a phone number',
  address: 'a postal address',
  person: "a person's name",
} as const

/** One kind of personal data. */
export type Kind = keyof typeof KIND_NAMES

/** A place in the text that is personal data with this probability. Places are offsets into the text as it came. */
export interface Finding {
  readonly kind: Kind
  readonly confidence: number
  readonly start: number
  readonly end: number
}

/** Takes what a recogniser finds; places are offsets into the text it was given. */
export type Report = (kind: Kind, confidence: number, start: number, end: number) => void
