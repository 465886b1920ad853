// Hosts from user input whose addresses change between check and call (DNS rebinding), with a real name server.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { startNameServer, UNROUTABLE_ADDRESS } from '../../support/emulators/name-server.ts'
import { until } from '../../support/until.ts'
import { writeEvents } from '../../support/webhook-receiver.ts'

const INSIDE = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1']
const HOSTS = INSIDE.map((_, n) => `host-${n}.example.test`)

let app: PushApp
let names: Awaited<ReturnType<typeof startNameServer>>
let port: number
let connections = 0
const inside = createServer((socket) => {
  connections++
  socket.destroy()
})

beforeAll(async () => {
  await once(inside.listen(0, '::'), 'listening')
  port = (inside.address() as AddressInfo).port
  names = await startNameServer()
  app = await startPushApp({
    env: { WEB_PUSH_HOSTS: HOSTS.map((host) => `${host}:${port}`).join(), WEB_PUSH_ALLOW_PRIVATE: 'false' },
  })
})
afterAll(async () => {
  await app.close()
  await names[Symbol.asyncDispose]()
  await new Promise((done) => inside.close(done))
  expect(connections).toBe(0)
})

const point = (to: (n: number) => string) => {
  HOSTS.forEach((host, n) => {
    names.answer(host, to(n))
  })
}

test('a web push endpoint that was public at registration and has a private address at the call is not called', async () => {
  const user = await app.user()
  const register = (host: string) => {
    const { keys } = app.browser().subscription
    return app.mutate(user, 'devices.register', {
      platform: 'web',
      subscription: { endpoint: `https://${host}:${port}/push/1`, keys },
    })
  }
  const statuses = async () => (await Promise.all(HOSTS.map(register))).map(({ status }) => status)
  point((n) => INSIDE[n]!)
  expect(await statuses()).toEqual(HOSTS.map(() => 400))
  point(() => UNROUTABLE_ADDRESS)
  expect(await statuses()).toEqual(HOSTS.map(() => 200))
  point((n) => INSIDE[n]!)
  const { data } = await app.send(await app.tokenOf(user.id), { title: 'Hello', body: 'World' })
  expect(data).toMatchObject({ audience: { web: HOSTS.length }, sent: 0, failed: HOSTS.length, removed: 0 })
  for (const { reason } of data.failures) expect(reason).toBe('ADDRESS_NOT_PUBLIC')
  expect(connections).toBe(0)
})

test('a webhook that was public at one attempt and has a private address at the next is not called', async () => {
  point(() => UNROUTABLE_ADDRESS)
  const { webhooks } = app.services
  const made = await Promise.all(
    HOSTS.map((host) => webhooks.create({ url: `https://${host}:${port}/`, events: ['file.ready'] })),
  )
  const failures = async (attempts: number) => {
    const ONE = { limit: 1, status: undefined, cursor: undefined }
    return until(`${attempts} attempts`, async () => {
      const all = await Promise.all(made.map(({ id }) => webhooks.deliveries(id, ONE)))
      const deliveries = all.flatMap(({ items }) => items)
      const areDone = deliveries.every((one) => one.attempts === attempts && one.nextAttemptAt !== null)
      return areDone && deliveries.length === made.length && deliveries.map(({ failure }) => failure)
    })
  }
  names.asked.length = 0
  await writeEvents(app.db, 'file.ready')
  for (const failure of await failures(1)) expect(failure).not.toContain('not public')
  // One lookup per attempt: the connection uses the address that was checked.
  expect(names.asked.toSorted()).toEqual(HOSTS.flatMap((host) => [`A ${host}`, `AAAA ${host}`]).sort())
  point((n) => INSIDE[n]!)
  await app.db.query(`UPDATE webhook_deliveries SET due_at = now()`)
  expect(await failures(2)).toEqual(HOSTS.map((host) => `${host} has an address that is not public`))
  expect(connections).toBe(0)
})
