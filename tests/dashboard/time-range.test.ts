import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'

// A zone whose clock goes forward on 29 March 2026 at 2:00 and back on 25 October 2026 at 3:00.
const zoneBefore = process.env['TZ']
process.env['TZ'] = 'Europe/Vienna'
after(() => {
  if (zoneBefore === undefined) delete process.env['TZ']
  else process.env['TZ'] = zoneBefore
})

// Formats take the zone that holds when they are made, so these are loaded after it is set.
const { customRangeIn, fieldOf, momentOf, periodBefore, rangeOfFields, rangeWords, zoomedOut, zoomedTo } =
  await import('../../dashboard/src/ui/custom-range.ts')
const { boundsOf, rangeText, timeRangeIn, widerRange } = await import('../../dashboard/src/ui/time-range.ts')

const HOUR_MS = 3_600_000
const utc = (text: string) => Date.parse(`${text}Z`)

describe('the fields of a custom range', () => {
  test('hold local time and mean the moment again, on both sides of a change of the clock', () => {
    for (const text of [
      '2026-01-15T12:30',
      '2026-03-29T00:59',
      '2026-03-29T01:00',
      '2026-10-25T00:30',
      '2026-10-25T02:00',
    ]) {
      assert.equal(momentOf(fieldOf(utc(text))), utc(text))
    }
    assert.equal(fieldOf(utc('2026-03-29T00:59')), '2026-03-29T01:59')
    assert.equal(fieldOf(utc('2026-03-29T01:00')), '2026-03-29T03:00')
  })

  test('an hour that is skipped means the time after the change, one that occurs twice the first', () => {
    assert.equal(momentOf('2026-03-29T02:30'), utc('2026-03-29T01:30'))
    assert.equal(momentOf('2026-10-25T02:30'), utc('2026-10-25T00:30'))
  })

  test('a day on which the clock changes has 23 or 25 hours', () => {
    const lengthOfDay = (from: string, to: string) => {
      const meant = rangeOfFields({ from, to })
      assert.ok('range' in meant)
      return (Date.parse(meant.range.to) - Date.parse(meant.range.from)) / HOUR_MS
    }
    assert.equal(lengthOfDay('2026-03-29T00:00', '2026-03-30T00:00'), 23)
    assert.equal(lengthOfDay('2026-10-25T00:00', '2026-10-26T00:00'), 25)
  })

  test('a range that cannot be shown names the field and the reason', () => {
    const fault = (from: string, to: string, daysMax?: number) => {
      const meant = rangeOfFields({ from, to }, daysMax)
      return 'fault' in meant ? `${meant.field}: ${meant.fault}` : 'none'
    }
    assert.equal(fault('', '2026-01-01T00:00'), 'from: Enter a date and a time.')
    assert.equal(fault('2026-01-01T00:00', '2026-01'), 'to: Enter a date and a time.')
    assert.equal(fault('2026-01-02T00:00', '2026-01-01T00:00'), 'to: The end must be after the start.')
    assert.equal(fault('2026-01-01T00:00', '2026-01-01T00:03'), 'to: Choose at least 5 minutes.')
    assert.equal(fault('2026-01-01T00:00', '2026-03-01T00:00', 31), 'to: Choose at most 31 days.')
    // 31 days by the clock, although one of them has an hour more.
    assert.equal(fault('2026-10-01T00:00', '2026-11-01T00:00', 31), 'none')
  })
})

describe('a custom range', () => {
  const range = { from: '2026-03-01T10:00:00.000Z', to: '2026-03-01T12:00:00.000Z' }

  test('is kept in the address, in whole minutes, and anything else in it is ignored', () => {
    assert.deepEqual(timeRangeIn(new URLSearchParams(rangeText(range))), range)
    assert.deepEqual(
      customRangeIn(new URLSearchParams('from=2026-03-01T10:00:30Z&to=2026-03-01T11:59:01Z')),
      range,
    )
    for (const text of [
      '',
      'from=x&to=y',
      'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
      'from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    ])
      assert.equal(customRangeIn(new URLSearchParams(text)), undefined, text)
    assert.equal(timeRangeIn(new URLSearchParams('range=7d')), '7d')
    assert.equal(timeRangeIn(new URLSearchParams('range=constructor')), '24h')
  })

  test('is told in local time, with the year where it is another one', () => {
    const march = new Date(utc('2026-03-05T00:00'))
    assert.match(rangeWords(range, march), /^(Mar 1|1 Mar), 11:00( AM)? to (01:00 PM|13:00)$/)
    assert.match(rangeWords(range, new Date(utc('2027-01-01T00:00'))), /2026/)
  })

  test('zooms out around its middle, never into the future and never beyond the maximum', () => {
    const now = utc('2026-03-01T12:30')
    assert.deepEqual(zoomedOut(range, utc('2026-03-02T00:00')), {
      from: '2026-03-01T09:00:00.000Z',
      to: '2026-03-01T13:00:00.000Z',
    })
    assert.deepEqual(zoomedOut(range, now), {
      from: '2026-03-01T08:30:00.000Z',
      to: '2026-03-01T12:30:00.000Z',
    })
    const month = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
    assert.equal(widerRange(month, now, 31), undefined)
    assert.equal(widerRange('1h', now, 31), '24h')
    assert.equal(widerRange('30d', now, 31), undefined)
  })

  test('is what was marked, in either direction, unless that is too short', () => {
    const [one, other] = [utc('2026-03-01T10:00'), utc('2026-03-01T12:00')]
    assert.deepEqual(zoomedTo(one, other), range)
    assert.deepEqual(zoomedTo(other, one), range)
    assert.equal(zoomedTo(one, one + 60_000), undefined)
  })

  test('has a period before it that is as long and ends where it begins', () => {
    assert.deepEqual(periodBefore(range), { from: '2026-03-01T08:00:00.000Z', to: range.from })
    // Also over the night in which the clock changes: as many hours, at other times of day.
    const spring = { from: '2026-03-29T00:00:00.000Z', to: '2026-03-30T00:00:00.000Z' }
    assert.equal(periodBefore(spring).from, '2026-03-28T00:00:00.000Z')
  })

  test('is asked for as it is, a named one in steps of ten seconds', () => {
    assert.deepEqual(boundsOf(range), range)
    assert.deepEqual(boundsOf('1h', utc('2026-03-01T12:00:01')), {
      from: '2026-03-01T11:00:10.000Z',
      to: '2026-03-01T12:00:10.000Z',
    })
  })
})
