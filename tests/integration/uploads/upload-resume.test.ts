import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drift, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { spawnAppServer } from '../../support/process/app-server.ts'

const MB = 1024 * 1024
const PART = 5 * MB
const PARTS = 8

let app: UploadApp
beforeAll(async () => {
  app = await startUploadApp()
})
afterAll(() => app?.close())

/** Returns part `n` of the file: 5 MiB that differ from every other part. Memory never holds the whole file. */
const seed = randomBytes(1 * MB)
function part(n: number): Buffer {
  const bytes = Buffer.concat([seed, seed, seed, seed, seed])
  if (n === 1) Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isommp41', 'latin1').copy(bytes)
  bytes.writeUInt32BE(n, 4096)
  return bytes
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

test('after a network failure and a killed server, only parts missing in the store are sent again, even if half were never reported', async () => {
  const user = await app.user()
  const first = await spawnAppServer(app.env)
  const created = (
    await first.call(user, 'upload.initiateMultipart', {
      filename: 'film.mp4',
      mimeType: 'video/mp4',
      size: PARTS * PART,
      totalParts: PARTS,
    })
  ).data
  const { fileId } = created
  const urls = async (server: typeof first, partNumbers: number[]) => {
    const answer = await server.call(user, 'upload.getPartUrls', { fileId, partNumbers })
    return answer.data.parts as { partNumber: number; uploadUrl: string }[]
  }

  // The network fails during every part from the fifth on.
  const all = Array.from({ length: PARTS }, (_, i) => i + 1)
  for (const partNumber of [5, 6])
    app.s3.faults.add({ operation: 'UploadPart', partNumber, action: { kind: 'drop', afterBytes: 2 * MB } })
  let cut = 0
  for (const { partNumber, uploadUrl } of await urls(first, all.slice(0, 6))) {
    const answer = await put(uploadUrl, part(partNumber)).catch(() => null)
    if (!answer) cut++
    else if (partNumber % 2) {
      const etag = answer.headers.get('etag')
      await first.call(user, 'upload.completePart', { fileId, partNumber, etag })
    }
  }
  expect(cut).toBe(2)
  await first.kill()
  app.s3.faults.reset()

  // Another page with another server knows only the ID.
  const second = await spawnAppServer(app.env)
  try {
    app.s3.requestLog.clear()
    const status = (await second.call(user, 'upload.status', { fileId })).data
    expect(status).toMatchObject({ state: 'UPLOADING', partSize: PART, totalParts: PARTS })
    expect(status.uploadedParts).toEqual(all.slice(0, 4))
    expect(status.parts).toEqual(
      all.slice(0, 4).map((partNumber) => ({ partNumber, size: PART, etag: md5(part(partNumber)) })),
    )
    const missing = all.filter((n) => !status.uploadedParts.includes(n))
    for (const { partNumber, uploadUrl } of await urls(second, missing))
      expect((await put(uploadUrl, part(partNumber))).status).toBe(200)
    const done = await second.call(user, 'upload.completeMultipart', { fileId })
    expect(done.data?.success).toBe(true)
    const sent = app.s3.requestLog.entries().filter((entry) => entry.operation === 'UploadPart')
    expect(sent).toHaveLength(4)
  } finally {
    await second.stop()
  }

  const [wanted, got] = [createHash('sha256'), createHash('sha256')]
  for (const n of all) wanted.update(part(n))
  const { url } = await app.ok(user, 'files.downloadUrl', { fileId })
  for await (const chunk of (await fetch(url)).body!) got.update(chunk)
  expect(got.digest('hex')).toBe(wanted.digest('hex'))
  expect(await app.ok(user, 'account.usage')).toMatchObject({ used: PARTS * PART, reserved: 0 })
  expect(await drift(app.db)).toEqual([])
})
