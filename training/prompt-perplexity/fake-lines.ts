import { createRequire } from 'node:module'
import path from 'node:path'

/** Lines of each locale; the first is read most. */
const LINES = { en: 4_000, de: 700, fr: 700, es: 700, it: 700 } as const

/** Names, addresses, companies and dates that nobody has, because real text is full of them and most text for training is not. */
export function fakeLines(fakerDirectory: string): string[] {
  const require = createRequire(path.join(fakerDirectory, 'package/package.json'))
  return Object.entries(LINES).flatMap(([locale, count]) => {
    const { faker } = require(`./dist/locale/${locale}.cjs`)
    faker.seed(7)
    faker.setDefaultRefDate('2025-01-01T00:00:00Z')
    return Array.from({ length: count }, (_, at) => fakeLine(faker, at % 8))
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the package is downloaded for training only, its types are not there.
function fakeLine(faker: any, kind: number): string {
  const { person, location, internet, company, date } = faker
  switch (kind) {
    case 0:
      return person.fullName()
    case 1:
      return `${location.streetAddress()}, ${location.city()}, ${location.state()} ${location.zipCode()}`
    case 2:
      return internet.email()
    case 3:
      return `${company.name()}, ${location.city()}`
    case 4:
      return date.past({ years: 30 }).toUTCString().slice(0, 16)
    case 5:
      return internet.url()
    case 6:
      return `${person.fullName()} and ${person.fullName()}`
    default:
      return `${location.country()}, ${location.city()}`
  }
}
