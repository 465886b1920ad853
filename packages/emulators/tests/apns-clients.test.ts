import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ApnsClient, type ApnsError, Notification, SilentNotification } from 'apns2'
import { Pool } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { startApns } from '../src/apns/emulator.ts'
import { ensureSigningKey } from '../src/apns/signing-key.ts'
import { startFcm } from '../src/fcm/emulator.ts'
import { spawnEmulator } from '../src/spawn-emulator.ts'
import { ensureTls } from '../src/tls.ts'
import {
  baseOptions,
  ca,
  KEY_ID,
  RawClient,
  removeTls,
  signingKey,
  TEAM,
  TOKEN,
  TOPIC,
} from './apns.client.ts'

afterAll(removeTls)

const pool = (url: string) =>
  new Pool(url, { allowH2: true, connections: 2, pipelining: 1000, connect: { ca } })

describe('apns2, a client with an undici pool,', () => {
  test('sends pushes and understands rejections', async () => {
    const apns = await startApns(baseOptions)
    const signing = signingKey.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const client = new ApnsClient({ team: TEAM, keyId: KEY_ID, signingKey: signing, defaultTopic: TOPIC })
    await client.client.close()
    // Its host has a fixed port, so only the transport is replaced.
    Object.assign(client, { client: pool(apns.url) })
    try {
      await client.send(
        new Notification(TOKEN, { alert: 'hello', collapseId: 'c1', expiration: 1_900_000_000 }),
      )
      await client.send(new SilentNotification(TOKEN))
      expect(apns.requestLog.accepted).toMatchObject([
        { payload: { aps: { alert: 'hello' } }, collapseId: 'c1', expiration: 1_900_000_000, priority: 10 },
        { payload: { aps: { 'content-available': 1 } }, pushType: 'background', priority: 5 },
      ])
      apns.devices.unregister(TOKEN, 1234)
      const error = await client.send(new Notification(TOKEN)).catch((reason: ApnsError) => reason)
      expect(error).toMatchObject({ statusCode: 410, reason: 'Unregistered', timestamp: 1234 })
    } finally {
      await client.destroy()
      await apns.close()
    }
  })
})

describe('benchmark mode', () => {
  const COUNT = 3000
  const deviceToken = (n: number): string => n.toString(16).padStart(64, '0')

  async function sendAll(
    url: string,
    request: (n: number) => { path: string; body: string },
  ): Promise<Set<string>> {
    const http2 = pool(url)
    const bodies = new Set<string>()
    await Promise.all(
      Array.from({ length: COUNT }, async (_, n) => {
        const response = await http2.request({
          method: 'POST',
          ...request(n),
          headers: { authorization: 'bearer x' },
        })
        bodies.add(`${response.statusCode} ${await response.body.text()}`)
      }),
    )
    await http2.destroy()
    return bodies
  }

  test('APNs accepts everything after the latency and distinguishes devices', async () => {
    const apns = await startApns({ ...baseOptions, benchmark: true, settings: { latencyMs: 10 } })
    try {
      const responses = await sendAll(apns.url, (n) => ({
        path: `/3/device/${deviceToken(n >> 1)}`,
        body: '{"aps":{}}',
      }))
      expect([...responses]).toEqual(['200 '])
      expect(apns.requestLog.counts).toMatchObject({ accepted: COUNT, inFlight: 0 })
      expect(apns.requestLog.counts.devices).toBe(COUNT / 2)
      const raw = new RawClient(apns.url)
      expect(await raw.push()).toMatchObject({ status: 200 })
      raw.close()
    } finally {
      await apns.close()
    }
  })

  test('FCM accepts everything after the latency, with a body', async () => {
    const { tls } = baseOptions
    const fcm = await startFcm({ projectId: 'p', tls, benchmark: true })
    try {
      const responses = await sendAll(fcm.url, (n) => ({
        path: '/v1/projects/p/messages:send',
        body: JSON.stringify({ message: { token: `device-${n}`, data: { k: 'v'.repeat(500) } } }),
      }))
      expect([...responses]).toEqual(['200 {"name":"projects/p/messages/benchmark"}'])
      expect(fcm.requestLog.counts).toMatchObject({ accepted: COUNT, devices: COUNT })
    } finally {
      await fcm.close()
    }
  })
})

describe('certificates and keys', () => {
  test('are created once, readable only by their owner, and trusted through NODE_EXTRA_CA_CERTS', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'emulator-tls-'))
    const apns = await ensureTls(dir).then((tls) => startApns({ ...baseOptions, tls }))
    try {
      const [first, second] = [await ensureTls(dir), await ensureTls(dir)]
      expect(second).toEqual(first)
      expect(await ensureSigningKey(dir, 'K')).toEqual(await ensureSigningKey(dir, 'K'))
      for (const file of ['ca-key.pem', 'server-key.pem', 'AuthKey_K.p8']) {
        expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600)
      }
      const faults = `const s = require('node:http2').connect('https://localhost:${apns.port}', () => { console.log('trusted'); s.destroy() })`
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: first.caFile }
      // `localhost` can resolve to ::1 first. Happy eyeballs then finds 127.0.0.1.
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', faults], { env })
      expect(stdout).toBe('trusted\n')
    } finally {
      await apns.close()
      await rm(dir, { recursive: true })
    }
  })
})

describe('emulators as processes', () => {
  test.each([
    ['apns', { topics: [TOPIC] }],
    ['fcm', { projectId: 'p' }],
  ] as const)('%s prints one line of JSON and ends on SIGTERM', async (name, options) => {
    const dir = await mkdtemp(join(tmpdir(), 'emulator-main-'))
    const emulator = await spawnEmulator(name, { dir, ...options })
    try {
      const state = (await (await fetch(emulator.addresses.controlUrl!)).json()) as object
      expect(state).toMatchObject({ counts: { accepted: 0 }, rules: [] })
      await emulator.stop()
      expect(emulator.child.exitCode).toBe(0)
    } finally {
      emulator.child.kill('SIGKILL')
      await rm(dir, { recursive: true })
    }
  })

  test.each([
    ['{"prot":1}', 'prot'],
    ['{"port"', 'JSON object'],
  ])('exit code 2 and a message reject the options %s', async (options, message) => {
    const run = promisify(execFile)(process.execPath, ['packages/emulators/src/main.ts', 'apns', options])
    await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})
