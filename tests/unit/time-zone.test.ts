import { describe, expect, test } from 'vitest'
import { timeZoneOf } from '../../src/ui/i18n/time-zone.ts'

describe('the time zone of the cookie', () => {
  test.each(['Europe/Vienna', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'UTC'])('%s is used', (zone) => {
    expect(timeZoneOf(zone)).toBe(zone)
  })

  test.each([undefined, '', 'Mars/Olympus', '"><script>', '../../etc/passwd', `${'a'.repeat(64)}/b`])(
    '%s counts as unknown',
    (zone) => {
      expect(timeZoneOf(zone)).toBeUndefined()
    },
  )
})
