// A page of another site can point its own name at this machine (DNS rebinding). It then counts as a page of what
// listens on loopback, so that the Host header is the only difference.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ApnsEmulator, startApns } from '../src/apns/emulator.ts'
import { startMailbox, startMailboxPage } from '../src/mailbox/index.ts'
import { startControlServer, startS3 } from '../src/s3/index.ts'
import { baseOptions, removeTls } from './apns.client.ts'
import { BUCKET, KEY, REGION, tempDir } from './s3.client.ts'

const OWN = ['localhost', '127.0.0.1', '[::1]', '192.168.0.7']
const FOREIGN = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example']

let apns: ApnsEmulator
beforeAll(async () => {
  apns = await startApns({ ...baseOptions, controlPort: 0 })
})
afterAll(async () => {
  await apns.close()
  await removeTls()
})

/** Calls a server on loopback under another name, as that name's page would. */
async function statusAt(url: string, name: string, method: string, path: string): Promise<number> {
  const { port } = new URL(url)
  const host = `${name}:${port}`
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' }
  const call = request({ port, host: '127.0.0.1', method, path, headers, agent: false })
  call.end(method === 'POST' ? '[]' : undefined)
  const [response] = await once(call, 'response')
  response.destroy()
  return response.statusCode
}

test('the mailbox shows emails to pages of this machine only', async () => {
  const mailbox = await startMailbox()
  onTestFinished(() => mailbox.close())
  const page = await startMailboxPage(mailbox, 0)
  onTestFinished(() => page.close())
  for (const name of FOREIGN) {
    for (const path of ['/', '/events', '/emails/1'])
      expect(await statusAt(page.url, name, 'GET', path)).toBe(403)
    expect(await statusAt(page.url, name, 'POST', '/clear')).toBe(403)
  }
  for (const name of OWN) expect(await statusAt(page.url, name, 'GET', '/')).toBe(200)
})

test('the control servers of gateways and of the store accept calls of this machine only', async () => {
  const dir = await tempDir()
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const s3 = await startS3({ dir, region: REGION, ...KEY, buckets: [BUCKET] })
  onTestFinished(() => s3.close())
  const control = await startControlServer(s3)
  onTestFinished(() => control.close())
  for (const name of FOREIGN) {
    expect(await statusAt(control.url, name, 'POST', '/faults/reset')).toBe(403)
    expect(await statusAt(apns.control!.url, name, 'GET', '/')).toBe(403)
  }
  for (const name of OWN) {
    expect(await statusAt(control.url, name, 'POST', '/faults/reset')).toBe(200)
    expect(await statusAt(apns.control!.url, name, 'GET', '/')).toBe(200)
  }
})
