// Runs the curl lines of docs/mobile.md and of the push endpoints in docs/api.md unchanged, over HTTP. Checks that
// the router has every procedure that the apps' code calls.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelPushMessage } from '../../../src/server/api/http/push-messages.ts'
import { sendPush } from '../../../src/server/api/http/push-send.ts'
import { createPushToken } from '../../../src/server/api/http/push-tokens.ts'
import { subscribeUser } from '../../../src/server/api/http/push-topics.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import { appRouter } from '../../../src/server/api/trpc/router.ts'
import { type Listener, listen } from '../../support/app/listen.ts'
import { type PushApp, startPushApp } from '../../support/app/push-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { createUser, type TestUser } from '../../support/users.ts'

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8')
const mobile = read('mobile.md')
/** User of the examples. */
const EXAMPLE_USER = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'

let app: PushApp
let listener: Listener
let ada: TestUser
const env: Record<string, string | undefined> = {}

beforeAll(async () => {
  app = await startPushApp({ idle: true })
  const ready = Promise.resolve(app.services)
  listener = await listen((request) => {
    const path = new URL(request.url).pathname.split('/').slice(2)
    if (path[0] === 'trpc') return handleTrpc(request, ready)
    if (path[1] === 'token') return createPushToken(request, ready)
    if (path[1] === 'topics') return subscribeUser(request, ready, { topic: path[2]!, userId: path[4]! })
    return path[1] === 'messages'
      ? cancelPushMessage(request, ready, { id: path[2]! })
      : sendPush(request, ready)
  })
  ada = await createUser(app.services, { email: 'ada@example.com', password: 'correct horse battery' })
  await app.db.query(`INSERT INTO users (id, email) VALUES ($1, 'example@example.com')`, [EXAMPLE_USER])
  Object.assign(env, {
    PATH: process.env.PATH,
    PIGEONHOLE_URL: listener.url,
    PUSH_TOKEN_ADMIN_SECRET: ADMIN_SECRET,
  })
})
afterAll(async () => {
  listener.close()
  await app.close()
})

/** Runs a command in bash. Returns the JSON of the response, or null if it is empty. */
async function shell(script: string) {
  const local = script.replaceAll('https://files.example.com', listener.url)
  const { stdout } = await promisify(execFile)('bash', ['-c', local], { env: env as NodeJS.ProcessEnv })
  return stdout === '' ? null : JSON.parse(stdout)
}

describe('docs/mobile.md', () => {
  const block = (name: string) =>
    new RegExp(`push-docs\\.test\\.ts: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\n\`\`\``).exec(mobile)![1]!

  test('the lines for sign-in, registering and unregistering work', async () => {
    const listed = async () => (await app.query(ada, 'devices.list')).data.items
    env.SESSION = (await shell(block('sign-in'))).result.data.token
    await shell(block('register'))
    expect(await listed()).toMatchObject([{ platform: 'android', name: 'Ada’s phone' }])
    expect((await shell(block('unregister'))).result.data).toEqual({ success: true })
    expect(await listed()).toEqual([])
  })

  test('the apps call only procedures that exist', () => {
    const known = Object.keys(appRouter._def.procedures)
    const called = [...mobile.matchAll(/["'/]((?:devices|session|account|topics)\.\w+)/g)].map((m) => m[1]!)
    expect(new Set(called)).toEqual(
      new Set(['session.create', 'devices.register', 'devices.unregister', 'devices.webPushKey']),
    )
    for (const name of called) expect(known).toContain(name)
  })
})

describe('docs/api.md', () => {
  const sections = read('api.md').split(/^### /m)
  const scripts = (title: string) =>
    [...sections.find((text) => text.startsWith(`${title}\n`))!.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(
      (m) => m[1]!,
    )

  test('creating a token, sending, scheduling, canceling and a topic work', async () => {
    const [createToken] = scripts('POST /api/push/token')
    env.PUSH_TOKEN = (await shell(createToken!)).token
    const sent = []
    for (const script of scripts('POST /api/push/send')) sent.push(await shell(script))
    expect(sent.map(({ status }) => status)).toEqual(['completed', 'completed', 'scheduled'])
    env.MESSAGE_ID = sent.at(-1).id
    expect(await shell(scripts('DELETE /api/push/messages/{id}')[0]!)).toBeNull()
    expect((await app.message(env.PUSH_TOKEN, env.MESSAGE_ID!)).data.status).toBe('cancelled')
    const [subscribe] = scripts('PUT /api/push/topics/{topic}/users/{userId}')
    expect(await shell(subscribe!)).toBeNull()
    const { rows } = await app.db.query(`SELECT topic, user_id FROM topic_subscriptions`)
    expect(rows).toEqual([{ topic: 'news.sport', user_id: EXAMPLE_USER }])
  })
})
