import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIB } from '@pigeonhole/client/limits'
import { maxParts, partBytesFor, partLength, planParts } from '@pigeonhole/client/parts'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../src/server/config/config.ts'
import { contentMismatch } from '../../src/server/domain/uploads/content-mismatch.ts'
import { isForbiddenType, isRecognizable } from '../../src/server/domain/uploads/media-types.ts'
import { parsePolicies } from '../../src/server/domain/uploads/policies.ts'

const TIB = 1024 * 1024 * MIB
const faultsOf = (file: unknown) => parsePolicies(JSON.stringify(file)).faults

describe('the policies file', () => {
  test('has defaults for types and size', () => {
    const { entries: policies, faults } = parsePolicies('{"any": {}}')
    expect(faults).toEqual([])
    expect(policies.get('any')).toMatchObject({ maxBytes: 5 * 1024 * MIB, replace: false })
    expect(policies.get('any')?.mimeTypes).toContain('application/pdf')
  })

  test.each<[string, unknown, string]>([
    ['an unknown setting', { a: { maxByte: 1 } }, 'policy "a", maxByte: is not a setting of this version'],
    [
      'too many bytes',
      { a: { maxBytes: 5 * TIB + 1 } },
      'policy "a", maxBytes: must be at most 5497558138880 (5 TB)',
    ],
    ['bytes as text', { a: { maxBytes: '5 MB' } }, 'policy "a", maxBytes: must be a whole number of bytes'],
    [
      'a type in upper case',
      { a: { mimeTypes: ['Image/png'] } },
      'policy "a", mimeTypes: must have types such as',
    ],
    ['all types', { a: { mimeTypes: ['*/*'] } }, 'policy "a", mimeTypes: must have types such as'],
    ['HTML', { a: { mimeTypes: ['text/html'] } }, 'policy "a", mimeTypes: must not have text/html'],
    ['no types', { a: { mimeTypes: [] } }, 'policy "a", mimeTypes: must have at least one type'],
    ['no files', { a: { maxFilesPerUser: 0 } }, 'policy "a", maxFilesPerUser: must be at least 1'],
    ['replace alone', { a: { replace: true } }, 'policy "a", replace: needs maxFilesPerUser'],
    ['too many hours', { a: { hold: true, holdHours: 169 } }, 'policy "a", holdHours: must be at most 168'],
    ['half an hour', { a: { hold: true, holdHours: 0.5 } }, 'policy "a", holdHours: must be a whole number'],
    [
      'an unknown verdict',
      { a: { hold: true, holdTimeout: 'keep' } },
      'policy "a", holdTimeout: must be "accept" or "reject"',
    ],
    ['hours alone', { a: { holdHours: 2 } }, 'policy "a", holdHours: needs "hold": true'],
    ['a verdict alone', { a: { holdTimeout: 'accept' } }, 'policy "a", holdTimeout: needs "hold": true'],
    ['a name with a space', { 'a b': {} }, 'policy "a b": the name must have'],
    ['a list', [], 'must name a file with a JSON object'],
    ['no object', { a: 1 }, 'policy "a": must be an object'],
    [
      '51 policies',
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, {}])),
      'must name a file with at most 50 policies, not 51',
    ],
  ])('with %s has one error, which names the policy and the field', (_, file, fault) => {
    expect(faultsOf(file)).toEqual([expect.stringContaining(fault)])
  })

  test('lists all errors, one line each', () => {
    expect(
      faultsOf({ a: { maxBytes: 0, x: 1 }, b: { replace: 'yes' } }).map((line) => line.split(':')[0]),
    ).toEqual(['policy "a", maxBytes', 'policy "a", x', 'policy "b", replace'])
  })

  describe('in the environment', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-policies-'))
    afterAll(() => rmSync(dir, { recursive: true }))
    const faults = (text: string | undefined, more = {}) => {
      const path = join(dir, 'policies.json')
      if (text !== undefined) writeFileSync(path, text)
      try {
        loadConfig({
          DATABASE_URL: 'postgresql://u:p@127.0.0.1:5432/db',
          NEXTAUTH_URL: 'https://files.example.com/',
          NEXTAUTH_SECRET: 's'.repeat(32),
          PUSH_TOKEN_ADMIN_SECRET: 'a'.repeat(32),
          S3_BUCKET: 'bucket',
          S3_REGION: 'eu-central-1',
          UPLOAD_POLICIES_FILE: text === undefined ? join(dir, 'missing.json') : path,
          ...more,
        })
        return []
      } catch (error) {
        if (error instanceof ConfigError) return error.faults
        throw error
      }
    }

    test('stops the start with one line per error', () => {
      expect(faults('{"a": {}}')).toEqual([])
      expect(faults(undefined)).toEqual([
        'UPLOAD_POLICIES_FILE must name a readable JSON file with upload policies',
      ])
      expect(faults('{')).toEqual([
        expect.stringMatching(/^UPLOAD_POLICIES_FILE must name a file with JSON: /),
      ])
      expect(faults('{"a": {"maxBytes": 0}, "b": {"x": 1}}')).toEqual([
        expect.stringMatching(/^UPLOAD_POLICIES_FILE policy "a", maxBytes: /),
        expect.stringMatching(/^UPLOAD_POLICIES_FILE policy "b", x: /),
      ])
      expect(faults(`{"a": {"maxBytes": ${5 * TIB}}}`, { S3_MAX_PARTS: '1000' })).toEqual([
        'UPLOAD_POLICIES_FILE policy "a", maxBytes: must be at most 5368709120000: the store accepts 1000 parts (S3_MAX_PARTS) of at most 5 GB',
      ])
      expect(faults('{"a": {"visibility": "public"}, "b": {"visibility": "private"}}')).toEqual([
        'UPLOAD_POLICIES_FILE policy "a", visibility: must not be "public" unless S3_PUBLIC_URL is set',
      ])
      expect(
        faults('{"a": {"expiresInDays": 0}, "b": {"expiresInDays": 36501}, "c": {"expiresInDays": 1.5}}'),
      ).toEqual([
        'UPLOAD_POLICIES_FILE policy "a", expiresInDays: must be at least 1',
        'UPLOAD_POLICIES_FILE policy "b", expiresInDays: must be at most 36500',
        'UPLOAD_POLICIES_FILE policy "c", expiresInDays: must be a whole number of days',
      ])
      expect(faults('{"a": {"visibility": "hidden"}}')).toEqual([
        'UPLOAD_POLICIES_FILE policy "a", visibility: must be "private" or "public"',
      ])
    })
  })
})

test.each([
  ['text/html', true],
  ['application/xhtml+xml', true],
  ['image/svg+xml', true],
  ['application/xml', true],
  ['text/javascript', true],
  ['application/x-javascript', true],
  ['application/x-msdownload', true],
  ['application/x-elf', true],
  ['application/x-sh', true],
  ['application/wasm', true],
  ['text/htm', true],
  ['text/vbs', true],
  ['text/x-scriptlet', true],
  ['text/x-component', true],
  ['text/x-msdos-batch', true],
  ['multipart/x-mixed-replace', true],
  ['text/csv', false],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', false],
  ['application/json', false],
  ['audio/mpeg', false],
])('%s is forbidden in every policy: %s', (type, forbidden) => {
  expect(isForbiddenType(type)).toBe(forbidden)
})

test('types whose content cannot be recognized are attachments', () => {
  expect(
    ['text/csv', 'application/json', 'text/css', 'application/octet-stream'].filter(isRecognizable),
  ).toEqual([])
  const known = ['image/png', 'image/jpg', 'video/x-msvideo', 'audio/mpeg', 'image/heic', 'application/zip']
  expect(known.filter(isRecognizable)).toEqual(known)
})

const ZIP = Buffer.from('504b0304140000000800', 'hex')
const PE = Buffer.from(`MZ${'\0'.repeat(80)}`, 'latin1')

test.each<[string, string, Buffer, boolean]>([
  [
    'a zip file as a Word document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ZIP,
    true,
  ],
  ['a zip file as a picture', 'image/tiff', ZIP, false],
  ['a zip file as any bytes', 'application/octet-stream', ZIP, true],
  ['an executable as any bytes', 'application/octet-stream', PE, false],
  [
    'a WAV file under its other name',
    'audio/x-wav',
    Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'),
    true,
  ],
  ['a table', 'text/csv', Buffer.from('a,b\n1,2\n'), true],
  ['a table with a tag', 'text/csv', Buffer.from('a,<script>\n'), false],
])('%s passes the check of its content: %s, %s', async (_, declared, bytes, passes) => {
  expect((await contentMismatch(bytes, declared)) === undefined).toBe(passes)
})

test('part sizes are the smallest multiple of 1 MB, at least 5 MB, with which the file fits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 * TIB }),
      fc.integer({ min: 1024, max: 10_000 }),
      (size, most) => {
        const partBytes = partBytesFor(size, most)
        const plan = planParts(size, maxParts(size, partBytes), partBytes)
        expect(plan.partSize).toBe(partBytes)
        expect(partBytes % MIB).toBe(0)
        expect(plan.totalParts).toBeLessThanOrEqual(most)
        expect(partLength(plan, plan.totalParts)).toBeGreaterThan(0)
        if (partBytes > 5 * MIB) expect(Math.ceil(size / (partBytes - MIB))).toBeGreaterThan(most)
        else expect(partBytes).toBe(5 * MIB)
      },
    ),
  )
})
