import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import type { TestUser } from '../../support/users.ts'

const MB = 1024 * 1024
const GB = 1024 * MB

const INPUT: Record<string, Record<string, unknown>> = {
  'upload.requestUploadUrl': { filename: 'a.png', mimeType: 'image/png', size: 1000 },
  'upload.initiateMultipart': { filename: 'a.png', mimeType: 'image/png', size: 12 * MB, totalParts: 3 },
  'upload.confirmUpload': { fileId: 'x' },
  'upload.getPartUrl': { fileId: 'x', partNumber: 1 },
  'upload.getPartUrls': { fileId: 'x', partNumbers: [1] },
  'upload.completePart': { fileId: 'x', partNumber: 1, etag: '"e"' },
  'upload.completeMultipart': { fileId: 'x' },
  'upload.abortMultipart': { fileId: 'x' },
  'upload.status': { fileId: 'x' },
  'files.delete': { fileId: 'x' },
  'files.downloadUrl': { fileId: 'x' },
}
const BEGINNING = ['upload.requestUploadUrl', 'upload.initiateMultipart']
const ON_A_FILE = Object.keys(INPUT).filter((name) => !BEGINNING.includes(name))

describe('upload errors', () => {
  let app: UploadApp
  let user: TestUser
  let simple: { fileId: string; uploadUrl: string; headers: Record<string, string> }
  let multi: { fileId: string }
  beforeAll(async () => {
    app = await startUploadApp({ DEFAULT_STORAGE_QUOTA_BYTES: String(20 * GB) })
    user = await app.user()
    simple = await app.ok(user, 'upload.requestUploadUrl', INPUT['upload.requestUploadUrl'])
    multi = await app.ok(user, 'upload.initiateMultipart', INPUT['upload.initiateMultipart'])
  })
  afterAll(() => app?.close())

  describe.each([...Object.keys(INPUT), 'files.list', 'account.usage'])('%s', (procedure) => {
    test('returns UNAUTHORIZED without a session, for any input', async () => {
      for (const input of [INPUT[procedure], { nonsense: true }]) {
        const answer = await app.call(null, procedure, input)
        expect([answer.status, answer.error?.code]).toEqual([401, 'UNAUTHORIZED'])
      }
      const stranger = { ...user, headers: { authorization: 'Bearer nonsense' } }
      expect((await app.call(stranger, procedure, INPUT[procedure])).error?.code).toBe('UNAUTHORIZED')
    })
  })

  describe.each(ON_A_FILE)('%s', (procedure) => {
    test.each([
      ['an unknown ID', '01890a5d-ac96-774b-bcce-b302099a8057'],
      ['no ID at all', ''],
      ['a path', '../../etc/passwd'],
      ['SQL', "' OR 1=1 --"],
      ['a NUL', 'a\0b'],
      ['an unpaired surrogate', '\ud800'],
      ['a very long string', 'x'.repeat(5000)],
    ])('returns NOT_FOUND with %s', async (_, fileId) => {
      const answer = await app.call(user, procedure, { ...INPUT[procedure], fileId })
      expect([answer.status, answer.error?.code]).toEqual([404, 'NOT_FOUND'])
    })

    test('returns NOT_FOUND for another user’s file, with the same message as for an unknown ID', async () => {
      const other = await app.user()
      const unknown = await app.call(other, procedure, { ...INPUT[procedure], fileId: 'x' })
      for (const { fileId } of [simple, multi]) {
        const { error, status } = await app.call(other, procedure, { ...INPUT[procedure], fileId })
        expect({ ...error, requestId: 0 }).toEqual({ ...unknown.error, requestId: 0 })
        expect(status).toBe(404)
      }
    })
  })

  test.each(Object.entries(INPUT))(
    '%s names each field that is missing, unknown or of the wrong type',
    async (procedure, input) => {
      const missing = await app.call(user, procedure, {})
      expect(missing.error?.code).toBe('BAD_REQUEST')
      expect(Object.keys(missing.error?.fieldErrors ?? {}).sort()).toEqual(Object.keys(input).sort())
      const wrong = Object.fromEntries(Object.keys(input).map((name) => [name, { an: 'object' }]))
      const mistyped = await app.call(user, procedure, wrong)
      expect(Object.keys(mistyped.error?.fieldErrors ?? {}).sort()).toEqual(Object.keys(input).sort())
      const unknown = await app.call(user, procedure, { ...input, filesize: 1 })
      expect(unknown.error).toMatchObject({
        code: 'BAD_REQUEST',
        fieldErrors: { filesize: ['is not a known field'] },
      })
      for (const body of [null, [], 'text', 7])
        expect((await app.call(user, procedure, body)).error?.code).toBe('BAD_REQUEST')
    },
  )

  describe.each(BEGINNING)('%s', (procedure) => {
    const begin = (more: Record<string, unknown>) =>
      app.call(user, procedure, { ...INPUT[procedure], ...more })

    test.each(['text/html', 'image/svg+xml', 'IMAGE/PNG', 'image/png; charset=x', '', 'image'])(
      'rejects type %j',
      async (mimeType) => {
        const { error } = await begin({ mimeType })
        expect(error).toMatchObject({
          code: 'BAD_REQUEST',
          fieldErrors: { mimeType: [expect.stringContaining('video/quicktime')] },
        })
      },
    )

    test.each([0, -1, 1.5, '1000', null, 2 ** 53, 5 * GB + 1])('rejects size %j', async (size) => {
      const { error } = await begin({ size, totalParts: procedure.endsWith('Multipart') ? 1 : undefined })
      expect(error?.code).toBe('BAD_REQUEST')
      expect(error?.fieldErrors?.size).toBeDefined()
    })

    test('writes nothing when it rejects', async () => {
      const stranger = await app.user()
      await app.call(stranger, procedure, { ...INPUT[procedure], mimeType: 'text/html' })
      expect(await app.ok(stranger, 'account.usage')).toMatchObject({ reserved: 0, used: 0 })
      expect((await app.ok(stranger, 'files.list')).items).toEqual([])
    })
  })

  test('a simple upload can have the maximum size; for one byte more, the message points to multipart', async () => {
    const begin = (size: number) =>
      app.call(user, 'upload.requestUploadUrl', { ...INPUT['upload.requestUploadUrl'], size })
    expect((await begin(SIMPLE_MAX_BYTES)).error).toBeUndefined()
    for (const size of [SIMPLE_MAX_BYTES + 1, 5 * GB + 1])
      expect((await begin(size)).error).toMatchObject({
        code: 'BAD_REQUEST',
        fieldErrors: { size: [expect.stringContaining('initiateMultipart')] },
      })
  })

  test('multipart accepts files up to 5 GB, including small ones, but not one byte more', async () => {
    const begin = (size: number, totalParts: number) =>
      app.call(user, 'upload.initiateMultipart', { ...INPUT['upload.initiateMultipart'], size, totalParts })
    const largest = await begin(5 * GB, 1024)
    expect(largest.data.partSize).toBe(5 * MB)
    await app.ok(user, 'upload.abortMultipart', { fileId: largest.data.fileId })
    expect((await begin(5 * GB + 1, 1025)).error?.fieldErrors?.size?.[0]).toContain('5 GB')
    expect((await begin(1, 1)).data.partSize).toBe(5 * MB)
  })

  test.each([
    [12 * MB, 3, 5 * MB],
    [12 * MB, 2, 6 * MB],
    [12 * MB, 1, 12 * MB],
    [10 * MB, 2, 5 * MB],
    [12 * MB, 4, undefined],
    [10 * MB, 3, undefined],
    [12 * MB, 0, undefined],
    [12 * MB, 1.5, undefined],
    [12 * MB, 10_001, undefined],
  ])('%i bytes in %d parts: part size %s', async (size, totalParts, partSize) => {
    const answer = await app.call(user, 'upload.initiateMultipart', {
      ...INPUT['upload.initiateMultipart'],
      size,
      totalParts,
    })
    expect(answer.data?.partSize).toBe(partSize)
    if (partSize === undefined) expect(answer.error?.fieldErrors?.totalParts).toHaveLength(1)
  })

  test.each(['getPartUrl', 'completePart'])('%s accepts only parts 1 to n', async (name) => {
    const procedure = `upload.${name}`
    const part = (partNumber: unknown) =>
      app.call(user, procedure, { ...INPUT[procedure], fileId: multi.fileId, partNumber })
    expect((await part(3)).error).toBeUndefined()
    for (const wrong of [0, -1, 4, 10_001, 1.5, '1'])
      expect((await part(wrong)).error?.code).toBe('BAD_REQUEST')
    expect((await part(4)).error?.message).toContain('parts 1 to 3')
  })

  test('getPartUrls accepts 1 to 100 part numbers', async () => {
    const parts = (partNumbers: unknown) =>
      app.call(user, 'upload.getPartUrls', { fileId: multi.fileId, partNumbers })
    expect(
      (await parts([3, 1, 3])).data.parts.map((part: { partNumber: number }) => part.partNumber),
    ).toEqual([3, 1])
    for (const wrong of [[], [0], [1, 4], Array(101).fill(1), 'all'])
      expect((await parts(wrong)).error?.code).toBe('BAD_REQUEST')
  })

  test.each(['', '   ', '""', 'W/""', 'x'.repeat(1025), `"${'x'.repeat(1025)}"`, 'a\nb', 'ä', 7])(
    'completePart rejects ETag %j',
    async (etag) => {
      const { error } = await app.call(user, 'upload.completePart', {
        fileId: multi.fileId,
        partNumber: 1,
        etag,
      })
      expect(error?.fieldErrors?.etag).toBeDefined()
    },
  )

  test.each(['x', '"x"'])(
    'completePart accepts an ETag of 1024 characters, not counting quotes: %s',
    async (like) => {
      const etag = like.replace('x', 'x'.repeat(1024))
      const { data } = await app.call(user, 'upload.completePart', {
        fileId: multi.fileId,
        partNumber: 1,
        etag,
      })
      expect(data?.success).toBe(true)
    },
  )

  describe('calls that do not match the state of the file', () => {
    test.each(['getPartUrl', 'getPartUrls', 'completePart', 'completeMultipart', 'abortMultipart'])(
      '%s on a simple upload returns BAD_REQUEST',
      async (name) => {
        const { error } = await app.call(user, `upload.${name}`, {
          ...INPUT[`upload.${name}`],
          fileId: simple.fileId,
        })
        expect(error).toMatchObject({
          code: 'BAD_REQUEST',
          message: expect.stringContaining('simple upload'),
        })
      },
    )

    test('confirmUpload on a multipart upload returns BAD_REQUEST', async () => {
      const { error } = await app.call(user, 'upload.confirmUpload', { fileId: multi.fileId })
      expect(error).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('completeMultipart'),
      })
    })

    test('an aborted upload rejects further calls', async () => {
      const { fileId } = await app.ok(user, 'upload.initiateMultipart', INPUT['upload.initiateMultipart'])
      await app.ok(user, 'upload.abortMultipart', { fileId })
      for (const name of ['getPartUrl', 'getPartUrls', 'completePart', 'completeMultipart'])
        expect(
          (await app.call(user, `upload.${name}`, { ...INPUT[`upload.${name}`], fileId })).error,
        ).toMatchObject({
          code: 'BAD_REQUEST',
          message: expect.stringContaining('aborted'),
        })
      expect(await app.ok(user, 'upload.status', { fileId })).toMatchObject({
        state: 'ABORTED',
        uploadedParts: [],
        expiresAt: null,
      })
    })

    test('a completed upload cannot be aborted, returns no part URLs, and accepts late reports, which change nothing', async () => {
      const { fileId } = await app.ok(user, 'upload.initiateMultipart', {
        ...INPUT['upload.initiateMultipart'],
        size: 1000,
        totalParts: 1,
      })
      const { uploadUrl } = await app.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
      const etag = (await put(uploadUrl, png(1000))).headers.get('etag')
      const recorded = await app.ok(user, 'upload.completePart', { fileId, partNumber: 1, etag })
      await app.ok(user, 'upload.completeMultipart', { fileId })
      expect((await app.call(user, 'upload.abortMultipart', { fileId })).error?.message).toContain(
        'files.delete',
      )
      expect((await app.call(user, 'upload.getPartUrl', { fileId, partNumber: 1 })).error?.code).toBe(
        'BAD_REQUEST',
      )
      for (const late of [etag, 'other'])
        expect(await app.ok(user, 'upload.completePart', { fileId, partNumber: 1, etag: late })).toEqual(
          recorded,
        )
      expect((await app.ok(user, 'upload.status', { fileId })).state).toBe('READY')
      expect((await app.call(user, 'upload.completePart', { fileId, partNumber: 2, etag })).error?.code).toBe(
        'BAD_REQUEST',
      )
    })

    test('a file that is not ready cannot be downloaded', async () => {
      const { error } = await app.call(user, 'files.downloadUrl', { fileId: simple.fileId })
      expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('PENDING') })
    })
  })
})
