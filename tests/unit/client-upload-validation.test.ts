import { formatBytes, formatCount, formatSeconds } from '@pigeonhole/client/format'
import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES } from '@pigeonhole/client/limits'
import { checkQuota, mimeTypeOf, validateFile } from '@pigeonhole/client/node'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { initiateMultipartInput } from '../../src/server/domain/uploads/schema.ts'
import { anyText } from '../support/any-text.ts'

test('rejects exactly what the server would reject', () => {
  const odd = fc.constantFrom(
    '',
    ' ',
    '/',
    '\\',
    '\0',
    '\n',
    '\u2028',
    '\u{1f426}',
    '\ud800',
    'a'.repeat(254),
  )
  const name = fc.array(fc.oneof(odd, anyText()), { maxLength: 3 }).map((p) => p.join(''))
  const mimeType = fc.oneof(fc.constantFrom(...ALLOWED_MIME_TYPES, 'text/html', ''), fc.string())
  const size = fc.oneof(fc.integer(), fc.constantFrom(0, 1, FILE_MAX_BYTES, FILE_MAX_BYTES + 1))
  fc.assert(
    fc.property(name, mimeType, size, (filename, type, bytes) => {
      const server = initiateMultipartInput.safeParse({
        filename,
        mimeType: type,
        size: bytes,
        totalParts: 1,
      })
      expect(validateFile({ name: filename, mimeType: type, size: bytes }) === undefined).toBe(server.success)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['film.MOV', '', 'video/quicktime'],
  ['photo.jpeg', 'application/octet-stream', 'image/jpeg'],
  ['photo.jpg', 'image/jpg', 'image/jpeg'],
  ['scan.pdf', 'application/pdf; charset=binary', 'application/pdf'],
  ['film.mp4', 'text/html', 'text/html'],
  ['constructor', '', ''],
  ['x.constructor', '', ''],
  ['noextension', '', ''],
])('the type of %s, called %j by the platform, is %j', (name, type, expected) => {
  expect(mimeTypeOf(name, type)).toBe(expected)
})

test('the error for the quota includes reserved bytes', () => {
  const usage = { used: 400, reserved: 50, quota: 500 }
  expect(checkQuota(usage, 50)).toBeUndefined()
  expect(checkQuota(usage, 51)).toMatchObject({ code: 'QUOTA_EXCEEDED', retryable: true })
  expect(checkQuota({ used: 600, reserved: 0, quota: 500 }, 1)!.message).toContain('0 bytes of your')
})

test('sizes, counts and times are formatted for users', () => {
  expect([0, 1, 1023, 1024, 1536, 5 * 1024 ** 3, 1024 ** 2 - 1].map(formatBytes)).toEqual([
    ...['0 bytes', '1 byte', '1023 bytes', '1 KB', '1.5 KB', '5 GB', '1 MB'],
  ])
  expect([0, 1, 2].map((count) => formatCount(count, 'file'))).toEqual(['0 files', '1 file', '2 files'])
  expect([0, 7, 61.2, 3723].map(formatSeconds)).toEqual(['0:00', '0:07', '1:02', '1:02:03'])
})
