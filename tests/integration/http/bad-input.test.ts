// Malicious input to the upload procedures: a clear error with the correct code, nothing written, and no internal details
// in the response. Over HTTP against the built server.

import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png, put } from '../../support/app/upload-app.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import type { TestUser } from '../../support/users.ts'

let server: SharedServer
let user: TestUser
let db: pg.Pool

beforeAll(async () => {
  server = await sharedServer()
  user = await server.user()
  db = new pg.Pool({ connectionString: server.databaseUrl, max: 2 })
})
afterAll(async () => {
  await db?.end()
})

const INTERNAL = /prisma|postgres|sql|stack|node_modules|\.ts\b|at \w+ \(|staging\/|127\.0\.0\.1/i

async function files(): Promise<number> {
  return (await db.query('SELECT count(*)::int AS n FROM files WHERE user_id = $1', [user.id])).rows[0].n
}

async function raw(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...user.headers, 'content-type': 'application/json', ...init.headers },
  })
  return { status: response.status, text: await response.text() }
}

const REQUEST = '/api/trpc/upload.requestUploadUrl'
const valid = { filename: 'a.png', mimeType: 'image/png', size: 100 }

describe('malformed requests', () => {
  test.each<[string, RequestInit, number[]]>([
    ['malformed JSON', { method: 'POST', body: '{"filename":' }, [400]],
    ['an empty body', { method: 'POST', body: '' }, [400]],
    ['an array', { method: 'POST', body: '[1]' }, [400]],
    ['invalid UTF-8', { method: 'POST', body: new Uint8Array([0x7b, 0xff, 0x7d]) }, [400]],
    [
      'another content type',
      {
        method: 'POST',
        body: 'filename=a',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      [400, 415],
    ],
    [
      'no content type',
      { method: 'POST', body: new Uint8Array([0x7b, 0x7d]), headers: { 'content-type': '' } },
      [400, 415],
    ],
    ['GET', { method: 'GET' }, [405]],
    ['PUT', { method: 'PUT', body: JSON.stringify(valid) }, [405]],
    [
      'megabytes',
      { method: 'POST', body: JSON.stringify({ ...valid, filename: 'x'.repeat(3_000_000) }) },
      [413],
    ],
  ])('%s returns a 4xx status, and nothing is written', async (_, init, statuses) => {
    const before = await files()
    const answer = await raw(REQUEST, init)
    expect(statuses).toContain(answer.status)
    expect(answer.text).not.toMatch(INTERNAL)
    expect(await files()).toBe(before)
  })

  test('an unknown procedure returns 404', async () => {
    expect((await raw('/api/trpc/upload.nothing', { method: 'POST', body: '{}' })).status).toBe(404)
  })

  test.each(['/files/%E0%A4%A', '/api/trpc/%E0%A4%A', '/api/push/token/%ff', '/api/push/messages/%'])(
    'invalid escapes do not cause a 500: %s',
    async (path) => {
      const method = path.includes('token') ? 'DELETE' : 'GET'
      expect((await raw(path, { method })).status).toBeLessThan(500)
    },
  )

  test('the error names all missing, wrong and unknown fields', async () => {
    const answer = await server.call(user, 'upload.requestUploadUrl', { mimeType: 7, size: 'x', sise: 1 })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.error?.fieldErrors ?? {}).sort()).toEqual([
      'filename',
      'mimeType',
      'sise',
      'size',
    ])
  })

  test('input of any shape never causes a 500 and never writes', async () => {
    const before = await files()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          'requestUploadUrl',
          'initiateMultipart',
          'confirmUpload',
          'getPartUrl',
          'getPartUrls',
          'completePart',
          'completeMultipart',
          'abortMultipart',
        ),
        fc
          .oneof(
            fc.jsonValue(),
            fc.record({
              fileId: fc.string(),
              partNumber: fc.integer(),
              etag: fc.string(),
              partNumbers: fc.array(fc.integer()),
            }),
          )
          // The error names unknown fields, and one of them can be called "SQL".
          .filter((input) => !INTERNAL.test(JSON.stringify(input))),
        async (procedure, input) => {
          const answer = await raw(`/api/trpc/upload.${procedure}`, {
            method: 'POST',
            body: JSON.stringify(input),
          })
          expect([400, 404]).toContain(answer.status)
          expect(answer.text).not.toMatch(INTERNAL)
        },
      ),
      { numRuns: 300 },
    )
    expect(await files()).toBe(before)
  })
})

describe('file names', () => {
  test.each([
    ['empty', ''],
    ['only spaces', '   '],
    ['a slash', 'a/b.png'],
    ['a backslash', 'a\\b.png'],
    ['a path', '../../etc/passwd'],
    ['NUL', 'a\u0000.png'],
    ['a line break', 'a\r\nX: y.png'],
    ['DEL', 'a\u007f.png'],
    ['256 characters', 'n'.repeat(256)],
    ['an unpaired surrogate', 'a\ud800.png'],
  ])('%s is rejected, and the error names the field', async (_, filename) => {
    const before = await files()
    const answer = await server.call(user, 'upload.requestUploadUrl', { ...valid, filename })
    expect([answer.status, answer.error?.code]).toEqual([400, 'BAD_REQUEST'])
    expect(Object.keys(answer.error?.fieldErrors ?? {})).toEqual(['filename'])
    expect(await files()).toBe(before)
  })

  test.each([
    ['SQL', "'; DROP TABLE files; --"],
    ['255 characters', 'n'.repeat(255)],
    ['255 emoji', '🐦'.repeat(255)],
    ['many scripts', 'ハト 🕊️ Täübchen نامه.png'],
    ['percent signs and quotes', '100% "quoted" & <b>.png'],
    ['no extension', 'README'],
    ['surrounding spaces', '  a.png  '],
  ])('%s is returned unchanged, in the list and as the download name', async (_, filename) => {
    const bytes = png(300)
    const { fileId, uploadUrl, key, headers } = await server.ok(user, 'upload.requestUploadUrl', {
      ...valid,
      filename,
      size: 300,
    })
    expect(key).toMatch(/^[\x21-\x7e]+$/)
    expect((await put(uploadUrl, bytes, headers)).status).toBe(200)
    const { file } = await server.ok(user, 'upload.confirmUpload', { fileId })
    expect(file.filename).toBe(filename.trim())
    const redirect = await fetch(`${server.url}/files/${fileId}?download`, {
      headers: user.headers,
      redirect: 'manual',
    })
    const download = await fetch(redirect.headers.get('location')!)
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)
    const disposition = download.headers.get('content-disposition')!
    expect(disposition).toMatch(/^attachment/)
    const star = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
    const plain = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1')
    expect(star === undefined ? plain : decodeURIComponent(star)).toBe(filename.trim())
  })
})
