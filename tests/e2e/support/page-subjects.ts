// What the pages of the table show.

import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { holdNewestFile } from '../../support/seed-files.ts'
import { createSession, type TestUser } from '../../support/users.ts'
import { png, scratch } from './files.ts'
import type { Reader, Subjects } from './page-table.ts'
import type { Site } from './site.ts'
import { uploadFiles } from './upload-files.ts'

export type PageReaders = { users: Record<Reader, TestUser | null>; subjects: Subjects }

/** Creates the readers of the pages and what the pages show. */
export async function preparePages(site: Site): Promise<PageReaders> {
  const user = await site.user({ name: 'Ada' })
  // The name starts without a letter that the account button could show.
  const newcomer = await site.user({ email: '4711@example.com' })
  const admin = await site.admin({ name: 'Grace' })
  await site.query('UPDATE users SET email_verified_at = now()')
  return { users: { nobody: null, user, newcomer, admin }, subjects: await prepare(site, user, admin) }
}

/** Creates at least one of everything: a file with a link, devices, messages, topics, a failing webhook. */
async function prepare(site: Site, user: TestUser, other: TestUser): Promise<Subjects> {
  const { server } = site
  const photo = scratch().file('photo.png', png(64, [11, 106, 99], [240, 195, 106]))
  const [fileId] = await uploadFiles(site, user, photo)
  const [trashed] = await uploadFiles(site, user, photo)
  await server.ok(user, 'files.delete', { fileId: trashed, trash: true })
  const [heldFileId] = await uploadFiles(site, other, photo)
  await holdNewestFile(site.query, other.id)
  await site.query(
    `UPDATE files SET policy = 'avatar', data = '{"order": "A1"}', expires_at = now() + interval '1 day' WHERE id = $1`,
    [heldFileId],
  )
  const { url } = await server.ok(user, 'shares.create', { fileId, password: 'a swallow' })
  for (const [platform, token, name] of [
    ['ios', 'ef'.repeat(32), 'My iPhone'],
    ['android', 'android-token-12345678', undefined],
  ])
    await server.ok(user, 'devices.register', { platform, token, name })
  await createSession(
    { config: { databaseUrl: server.databaseUrl, sessionSecret: server.env.NEXTAUTH_SECRET! } },
    user.id,
  )
  await server.ok(user, 'topics.subscribe', { topic: 'news' })
  await server.ok(user, 'preferences.update', { mutedCategories: ['builds'] })
  const { body: made } = await server.post('/api/push/token', ADMIN_SECRET, {
    userId: user.id,
    name: 'siren',
  })
  await server.post('/api/admin/server-keys', ADMIN_SECRET, { name: 'shop', scopes: ['files:read'] })
  const message = { title: 'Hello', body: 'World', data: { a: 'b'.repeat(200) }, link: 'myapp://orders/42' }
  server.stack.apns.faults.add({ device: 'ef'.repeat(32), do: { kind: 'reject', reason: 'PayloadEmpty' } })
  await server.post('/api/push/send', made.token, message)
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  const { body: broadcast } = await server.post('/api/push/send', made.token, {
    ...message,
    all: true,
    sendAt,
  })
  const [webhook] = await site.query(
    `INSERT INTO webhooks (id, url, events, secret, failing_since)
     VALUES (gen_random_uuid(), 'https://backend.invalid/hooks/of/pigeonhole', '{device.removed}', 'whsec_x', now())
     RETURNING id`,
  )
  await site.query(
    `INSERT INTO webhook_deliveries
       (webhook_id, id, sequence, type, data, created_at, status, attempts, expires_at, last_attempt_at, http_status, failure, settled_at)
     VALUES ($1, gen_random_uuid(), 1, 'device.removed', '{}', now(), 'failed', 3, now(), now(), 500, 'answered 500', now())`,
    [webhook!.id],
  )
  return {
    userId: user.id,
    heldFileId: heldFileId!,
    broadcastId: broadcast.id,
    webhookId: webhook!.id,
    lockedShare: new URL(url).pathname,
  }
}
