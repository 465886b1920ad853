// kill -9 of a real process loses no event, at any point of the delivery.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { until } from '../../support/until.ts'
import { startWebhookReceiver, type WebhookReceiver, writeEvents } from '../../support/webhook-receiver.ts'

const CHILD = fileURLToPath(new URL('../../support/process/app-server.child.ts', import.meta.url))

let app: TestApp
let receiver: WebhookReceiver
let child: ChildProcess
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  app = await startTestApp({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await app.close()
  await receiver.close()
})

test('after kill -9 between commit and delivery, or between delivery and record, another process delivers with the same ID', async () => {
  const id = await receiver.subscribe(app.services, '/work', ['file.deleted'])
  // The receiver accepts it but never responds.
  receiver.answer('/work', () => {})
  child = spawn(process.execPath, [CHILD], {
    env: { NODE_ENV: 'test', ...app.env, SWEEP: '1' },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await writeEvents(app.db, 'file.deleted')
  await until('the delivery is in progress', () => receiver.at('/work').length === 1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // This event is committed while no process delivers.
  await writeEvents(app.db, 'file.deleted', 2)
  receiver.answer('/work')
  // The lease of the killed process has expired.
  await app.db.query('UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1', [id])

  await app.services.start()
  await until('all arrive', () => receiver.at('/work').length === 4)
  const [underWay, ...later] = receiver.at('/work')
  expect(later.map((one) => one.id)).toContain(underWay!.id)
  expect(new Set(later.map((one) => one.id)).size).toBe(3)
  expect(receiver.forged).toEqual([])
})
