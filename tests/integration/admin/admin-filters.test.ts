// Sorted users, and filters of push tokens and broadcasts, with the indexes that they use.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import type { Db } from '../../../src/server/adapters/postgres/db.ts'
import { listBroadcasts } from '../../../src/server/adapters/postgres/push/broadcasts/broadcasts.ts'
import * as broadcasts from '../../../src/server/api/http/admin/broadcasts.ts'
import { type PushApp, seedDevices, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { explainer } from '../../support/explain.ts'
import { createUser, type TestUser } from '../../support/users.ts'

let app: PushApp
let user: TestUser
beforeAll(async () => {
  app = await startPushApp({ idle: true })
  user = await createUser(app, { email: 'zoe@example.com' })
})
afterAll(() => app.close())

type Sort = 'newest' | 'oldest' | 'name' | 'storage' | 'lastSeen'

describe('users', () => {
  test('are sorted by age, name, storage or last use, page by page, and counted on request', async () => {
    const ids = [user.id]
    for (const [email, bytes, seen] of [
      ['Bea@example.com', 300, '2026-11-03'],
      ['ada@example.com', 100, '2026-11-02'],
      ['cem@example.com', 200, null],
    ] as const) {
      const { id } = await createUser(app, { email: email.toLowerCase() })
      await app.db.query('UPDATE users SET used_bytes = $2, last_seen_at = $3 WHERE id = $1', [
        id,
        bytes,
        seen,
      ])
      ids.push(id)
    }
    await app.db.query(`UPDATE users SET last_seen_at = '2026-11-01' WHERE id = $1`, [user.id])
    const [zoe, bea, ada, cem] = ids
    async function sorted(sort: Sort) {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await app.services.userAdministration.list({
          sort,
          cursor,
          limit: 2,
          query: '@example.com',
        })
        found.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return found
    }
    expect(await sorted('newest')).toEqual([cem, ada, bea, zoe])
    expect(await sorted('oldest')).toEqual([zoe, bea, ada, cem])
    expect(await sorted('name')).toEqual([ada, bea, cem, zoe])
    expect(await sorted('storage')).toEqual([bea, cem, ada, zoe])
    expect(await sorted('lastSeen')).toEqual([bea, ada, zoe, cem])
    const search = { query: '@example.com', limit: 2 }
    const { list } = app.services.userAdministration
    expect(await list({ ...search, withTotal: 'true' })).toMatchObject({ items: [{}, {}], total: 4 })
    expect((await list({ ...search, query: 'nobody', withTotal: 'true' })).total).toBe(0)
    expect((await list(search)).total).toBeUndefined()
  })

  test('are sorted by name with an index', async () => {
    const client = await app.db.connect()
    try {
      await client.query('BEGIN')
      const { planned, plans } = await explainer(client)
      const repo = createManagedUserRepo({ sql: planned, planned } as Db)
      for (const beforeId of [undefined, user.id]) {
        await repo.search({ sort: 'name', limit: 51, beforeId, withTotal: false })
        expect(plans[0]).toContain('users_by_name_idx')
        plans.splice(0)
      }
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})

describe('push tokens', () => {
  test('are filtered by status', async () => {
    const owner = await createUser(app)
    const made = async (name: string) => {
      await app.tokenOf(owner.id, { name })
      return (await app.services.push.tokens.list(owner.id))[0]!.id
    }
    const active = await made('active')
    const expired = await made('expired')
    const revoked = await made('revoked')
    await app.db.query('UPDATE push_tokens SET expires_at = now() WHERE id = ANY ($1)', [[expired, revoked]])
    await app.services.push.tokens.revoke(revoked, { actor: 'admin', address: null })
    const found = async (status: 'active' | 'expired' | 'revoked' | undefined) =>
      (await app.services.push.tokens.listAll({ userId: owner.id, status, limit: 10 })).items.map(
        ({ id }) => id,
      )
    expect(await found('active')).toEqual([active])
    expect(await found('expired')).toEqual([expired])
    expect(await found('revoked')).toEqual([revoked])
    expect(await found(undefined)).toEqual([revoked, expired, active])
  })

  test('are found by indexes that contain only revoked or only other tokens', async () => {
    const client = await app.db.connect()
    try {
      await client.query('BEGIN')
      await client.query('SET LOCAL enable_seqscan = off')
      await client.query(
        `INSERT INTO push_tokens (id, hash, name, user_id, expires_at, revoked_at)
         SELECT gen_random_uuid(), gen_random_uuid(), 'x', $1, now(), CASE WHEN i % 2 = 0 THEN now() END
         FROM generate_series(1, 3000) AS i`,
        [user.id],
      )
      await client.query('ANALYZE push_tokens')
      const planOf = async (condition: string) => {
        const { rows } = await client.query(
          `EXPLAIN SELECT * FROM push_tokens WHERE ${condition} ORDER BY id DESC LIMIT 50`,
        )
        return rows.map((row) => row['QUERY PLAN']).join()
      }
      expect(await planOf('revoked_at IS NOT NULL')).toContain('push_tokens_revoked_idx')
      expect(await planOf('revoked_at IS NULL AND expires_at > now()')).toContain('push_tokens_kept_idx')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})

describe('broadcasts', () => {
  test('show their topic, and are filtered by status, topic and push token', async () => {
    await seedDevices(app.db, 2)
    const token = await app.tokenOf(user.id)
    const pushTokenId = (await app.services.push.tokens.list(user.id))[0]!.id
    const other = await app.tokenOf((await createUser(app)).id)
    const send = async (bearer: string, more: object) =>
      (await app.send(bearer, { title: 't', body: 'b', ...more })).data.id
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const all = await send(token, { all: true })
    const topic = await send(token, { topic: 'weather' })
    const some = await send(other, { userIds: [user.id] })
    const later = await send(token, { topic: 'weather', sendAt })
    const found = async (search: object) =>
      (await app.services.push.messages.listBroadcasts({ limit: 10, ...search })).items
    expect((await found({})).map(({ id, target, topic }) => [id, target, topic])).toEqual([
      [later, 'topic', 'weather'],
      [some, 'users', null],
      [topic, 'topic', 'weather'],
      [all, 'all', null],
    ])
    const ids = async (search: object) => (await found(search)).map(({ id }) => id)
    expect(await ids({ topic: 'weather' })).toEqual([later, topic])
    expect(await ids({ topic: 'sport' })).toEqual([])
    expect(await ids({ status: 'scheduled' })).toEqual([later])
    expect(await ids({ status: 'queued' })).toEqual([all])
    expect(await ids({ status: 'completed', topic: 'weather' })).toEqual([topic])
    expect(await ids({ pushTokenId })).toEqual([later, topic, all])
    expect(await ids({ pushTokenId: 'unknown' })).toEqual([])
    await app.services.push.messages.cancel(later, { token: undefined, address: 'x' })
    expect(await ids({ status: 'scheduled' })).toEqual([])
    expect(await ids({ status: 'cancelled' })).toEqual([later])
  })

  test('are found by a part of their title, in any case and Unicode form', async () => {
    const token = await app.tokenOf(user.id)
    const send = async (title: string | undefined) =>
      (await app.send(token, { title, body: title && 'b', data: { a: 'b' }, topic: 'search' })).data.id
    const storm = await send('Sturm über Köln')
    await send('100% calm')
    await send(undefined)
    const found = async (query: string, more = {}) => {
      const { items } = await app.services.push.messages.listBroadcasts({ limit: 10, query, ...more })
      return items.map(({ id }) => id)
    }
    expect(await found('KÖLN')).toEqual([storm])
    expect(await found('KÖLN'.normalize('NFD'))).toEqual([storm])
    expect(await found('%')).toHaveLength(1)
    expect(await found('köln', { status: 'cancelled' })).toEqual([])
    expect(await found('rain')).toEqual([])
    const headers = { authorization: `Bearer ${ADMIN_SECRET}` }
    const request = (query: string) =>
      new Request(`${app.env.NEXTAUTH_URL}/api/admin/broadcasts?query=${query}`, { headers })
    const response = await broadcasts.listBroadcasts(request('sturm'), app.services)
    expect((await response.json()).items).toMatchObject([{ id: storm, title: 'Sturm über Köln' }])
    expect((await broadcasts.listBroadcasts(request('x'.repeat(101)), app.services)).status).toBe(400)
  })

  test('list the devices that they failed for', async () => {
    const token = await app.tokenOf(user.id)
    const { id } = (await app.send(token, { title: 't', body: 'b', userIds: [user.id] })).data
    for (const reason of ['TIMEOUT', 'TopicDisallowed'])
      await app.db.query(
        `INSERT INTO push_failures (message_id, device_id, user_id, platform, reason) VALUES ($1, $2, $2, 'ios', $3)`,
        [id, user.id, reason],
      )
    const request = (query: string) =>
      new Request(`${app.env.NEXTAUTH_URL}/api/admin/broadcasts/${id}/failures${query}`, {
        headers: { authorization: `Bearer ${ADMIN_SECRET}` },
      })
    const page = async (query: string) =>
      (await broadcasts.listBroadcastFailures(request(query), app.services, { id })).json()
    const first = await page('?limit=1')
    expect(first.items).toMatchObject([{ deviceId: user.id, userId: user.id, reason: 'TIMEOUT' }])
    expect((await page(`?limit=1&cursor=${first.nextCursor}`)).items).toMatchObject([
      { reason: 'TopicDisallowed' },
    ])
    expect(first.items[0].user).toEqual({ email: user.email, name: null })
    // The owner of the push token learns no email.
    const { data } = await app.failures(token, id)
    expect(Object.keys(data.items[0]).sort()).toEqual(['at', 'deviceId', 'platform', 'reason', 'userId'])
    await app.db.query('UPDATE push_failures SET user_id = NULL WHERE message_id = $1', [id])
    expect((await page('')).items.map((failure: { user: unknown }) => failure.user)).toEqual([null, null])
  })

  test('do not show the push token of a deleted user', async () => {
    const owner = await createUser(app, { email: 'leaving@example.com' })
    const token = await app.tokenOf(owner.id, { name: 'of the leaving user' })
    await app.send(token, { title: 'a', body: 'b', topic: 'left' })
    const shown = async () => [
      (await app.services.push.messages.listBroadcasts({ limit: 10, topic: 'left' })).items[0]!.pushToken
        ?.name ?? null,
      (await app.services.push.tokens.listAll({ limit: 100 })).items.some(
        ({ userId }) => userId === owner.id,
      ),
    ]
    expect(await shown()).toEqual(['of the leaving user', true])
    await app.db.query('UPDATE users SET deleted_at = now() WHERE id = $1', [owner.id])
    expect(await shown()).toEqual([null, false])
  })

  test('can be read one by one', async () => {
    const token = await app.tokenOf(user.id)
    const { id } = (await app.send(token, { title: 'Storm', body: 'b', topic: 'weather' })).data
    const read = async (id: string) => {
      const request = new Request(`${app.env.NEXTAUTH_URL}/api/admin/broadcasts/${id}`, {
        headers: { authorization: `Bearer ${ADMIN_SECRET}` },
      })
      const response = await broadcasts.getBroadcast(request, app.services, { id })
      return { status: response.status, body: await response.json() }
    }
    for (const reason of ['TopicDisallowed', 'TIMEOUT', 'TIMEOUT'])
      await app.db.query(
        `INSERT INTO push_failures (message_id, device_id, platform, reason) VALUES ($1, gen_random_uuid(), 'ios', $2)`,
        [id, reason],
      )
    const failureCounts = [
      { platform: 'ios', reason: 'TIMEOUT', count: 2 },
      { platform: 'ios', reason: 'TopicDisallowed', count: 1 },
    ]
    expect(await read(id)).toMatchObject({
      status: 200,
      body: { id, title: 'Storm', body: 'b', link: null, imageUrl: null, topic: 'weather', failureCounts },
    })
    expect((await read('x')).status).toBe(404)
    expect((await read(randomUUID())).status).toBe(404)
  })

  test('are filtered with indexes', async () => {
    const client = await app.db.connect()
    try {
      await client.query('BEGIN')
      await client.query(
        `INSERT INTO push_messages (id, user_id, category, content, status, expires_at, push_token_id, audience)
         SELECT id, id, 'general', '{}', (CASE WHEN i % 100 = 0 THEN 'cancelled' ELSE 'completed' END)::message_status, now(), NULL,
           jsonb_build_object('kind', 'topic', 'topic', 'topic-' || i % 100)
         FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, 5000) AS i) AS m`,
      )
      await client.query('ANALYZE push_messages')
      const { planned, plans } = await explainer(client)
      const planOf = async (search: object) => {
        await listBroadcasts({ planned }, { limit: 51, beforeId: undefined, ...search }, 500)
        return plans.splice(0)[0]
      }
      expect(await planOf({ topic: 'topic-7' })).toContain('push_messages_topic_idx')
      expect(await planOf({ status: 'cancelled' })).toContain('push_messages_broadcast_status_idx')
      expect(await planOf({ pushTokenId: user.id })).toContain('push_messages_push_token_id_id_idx')
      // No index has titles: an index of broadcasts bounds the rows.
      expect(await planOf({ query: 'storm' })).toMatch(/push_messages_broadcast(s|_status)_idx/)
      expect(await planOf({})).toMatch(/push_messages_broadcast(s|_status)_idx/)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})
