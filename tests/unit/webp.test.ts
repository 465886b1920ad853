import { expect, test } from 'vitest'
import { webpSize } from '../../src/server/domain/uploads/webp.ts'

/** Images of one pixel, from https://developers.google.com/speed/webp/faq, "detect browser support". */
const LOSSY = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'
const LOSSLESS = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='
const ALPHA =
  'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=='
const ANIMATION =
  'UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA'

const bytesOf = (base64: string) => Buffer.from(base64, 'base64')
const changed = (base64: string, change: (bytes: Buffer) => void) => {
  const bytes = bytesOf(base64)
  change(bytes)
  return bytes
}

test.each([
  ['lossy', LOSSY],
  ['lossless', LOSSLESS],
  ['with alpha', ALPHA],
])('a %s WebP of one pixel', (_, base64) => {
  expect(webpSize(bytesOf(base64))).toEqual({ width: 1, height: 1 })
})

test('width and height are read from each format', () => {
  const lossy = changed(LOSSY, (bytes) => {
    bytes.writeUInt16LE(160, 26)
    // The upper two bits are the scale.
    bytes.writeUInt16LE(90 | 0x4000, 28)
  })
  expect(webpSize(lossy)).toEqual({ width: 160, height: 90 })
  const lossless = changed(LOSSLESS, (bytes) => bytes.writeUInt32LE(159 | (89 << 14), 21))
  expect(webpSize(lossless)).toEqual({ width: 160, height: 90 })
  const extended = changed(ALPHA, (bytes) => {
    bytes.writeUIntLE(159, 24, 3)
    bytes.writeUIntLE(99_999, 27, 3)
  })
  expect(webpSize(extended)).toEqual({ width: 160, height: 100_000 })
})

test.each([
  ['an animation', bytesOf(ANIMATION)],
  ['nothing', Buffer.alloc(0)],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452'.padEnd(80, '0'), 'hex')],
  ['a WAVE file', changed(LOSSY, (bytes) => bytes.write('WAVE', 8))],
  ['bytes after the picture', Buffer.concat([bytesOf(LOSSY), Buffer.from('<script>')])],
  ['a picture that is cut off', bytesOf(LOSSY).subarray(0, 30)],
  ['no start code', changed(LOSSY, (bytes) => bytes.writeUInt8(0, 23))],
  ['another kind of chunk', changed(LOSSY, (bytes) => bytes.write('EXIF', 12))],
])('not %s', (_, bytes) => expect(webpSize(bytes)).toBe(null))
