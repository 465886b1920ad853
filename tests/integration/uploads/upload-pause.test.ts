import { afterAll, beforeAll, expect, test } from 'vitest'
import { drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { type AppServer, spawnAppServer } from '../../support/process/app-server.ts'

const SIZE = 4000

let app: UploadApp
let sleeper: AppServer
beforeAll(async () => {
  app = await startUploadApp()
  sleeper = await spawnAppServer(app.env)
})
afterAll(async () => {
  await sleeper?.stop()
  await app?.close()
})

test('if a server is suspended past its lease during a confirmation, another takes over, and the first does no harm later', async () => {
  const user = await app.user()
  const created = await app.ok(user, 'upload.requestUploadUrl', {
    filename: 'a.png',
    mimeType: 'image/png',
    size: SIZE,
  })
  await put(created.uploadUrl, png(SIZE, 1), created.headers)
  const both = { fileId: created.fileId }
  app.s3.faults.add({ operation: 'CopyObject', first: 1, action: { kind: 'hold', name: 'copy' } })
  const late = sleeper.call(user, 'upload.confirmUpload', both)
  await app.s3.faults.waitForHeld('copy')
  sleeper.pause()
  // The lease expires without its holder, within 4 s.
  const taken = await app.call(user, 'upload.confirmUpload', both)
  expect(taken.data?.success).toBe(true)
  // A client replaces the staged bytes with the old URL. Then the first server's copy continues.
  await put(created.uploadUrl, png(SIZE, 2), created.headers)
  app.s3.faults.release()
  sleeper.resume()
  expect((await late).data).toEqual(taken.data)
  const { url } = await app.ok(user, 'files.downloadUrl', both)
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(png(SIZE, 1))).toBe(true)
  expect(await app.ok(user, 'account.usage')).toMatchObject({ used: SIZE, reserved: 0 })
  expect(await drift(app.db)).toEqual([])
})
