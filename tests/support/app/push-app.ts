// The push app without Next: the real gateway clients, with local emulators of APNs (both environments) and FCM.

import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApns } from '@pigeonhole/emulators/apns'
import { startFcm, writeFcmCredentials } from '@pigeonhole/emulators/fcm'
import { startWebPush, VirtualBrowser } from '@pigeonhole/emulators/webpush'
import type pg from 'pg'
import { loadConfig } from '../../../src/server/config/config.ts'
import { newId } from '../../../src/server/kernel/ids.ts'
import { createVapidKeys } from '../../../src/server/kernel/vapid-keys.ts'
import { type AppServices, buildServices } from '../../../src/server/wiring/build-services.ts'
import { apnsConfig, apnsKey, PROJECT, TOPIC, trustedTls } from '../emulators/push-gateways.ts'
import { cheapPasswords, createUser, type TestUser } from '../users.ts'
import { pushClient } from './push-client.ts'
import { startTestApp } from './test-app.ts'

type Options = {
  env?: Record<string, string>
  /** Starts no workers: the app only serves requests. */
  idle?: boolean
  /** Content of PUSH_APPS_FILE. `credentials`: a file with credentials for all projects. */
  apps?: (credentials: string) => object
  /** Uses this database instead of a clone of the run's template. */
  databaseUrl?: string
}

/** Topic and project of a second app. */
export const SHOP_TOPIC = 'com.example.shop'
export const SHOP_PROJECT = 'shop-project'

export type PushApp = Awaited<ReturnType<typeof startPushApp>>

export async function startPushApp(options: Options = {}) {
  const tls = await trustedTls()
  const emulator = {
    tls,
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    publicKey: apnsKey.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    topics: [TOPIC, SHOP_TOPIC],
  }
  const apns = await startApns({ ...emulator, environment: 'production' })
  const sandbox = await startApns({ ...emulator, environment: 'sandbox' })
  const fcm = await startFcm({ projectId: PROJECT, otherProjects: [SHOP_PROJECT], tls })
  const credentials = join(tls.dir, `fcm-${fcm.port}.json`)
  await writeFcmCredentials(credentials, fcm.credentials)
  const appsFile = join(tls.dir, `apps-${fcm.port}.json`)
  if (options.apps) await writeFile(appsFile, JSON.stringify(options.apps(credentials)))
  const apnsEnv = apnsConfig(apns.url)
  const webPush = await startWebPush({ tls })
  const { publicKey, privateKey } = createVapidKeys()

  const app = await startTestApp(
    {
      APNS_TEAM_ID: apnsEnv.teamId,
      APNS_KEY_ID: apnsEnv.keyId,
      APNS_PRIVATE_KEY: apnsEnv.privateKey,
      APNS_TOPIC: TOPIC,
      APNS_ENDPOINT: apns.url,
      APNS_SANDBOX_ENDPOINT: sandbox.url,
      FIREBASE_PROJECT_ID: PROJECT,
      GOOGLE_APPLICATION_CREDENTIALS: credentials,
      FCM_ENDPOINT: fcm.url,
      WEB_PUSH_PUBLIC_KEY: publicKey,
      WEB_PUSH_PRIVATE_KEY: privateKey,
      WEB_PUSH_SUBJECT: 'mailto:ops@example.com',
      WEB_PUSH_HOSTS: new URL(webPush.url).host,
      WEB_PUSH_ALLOW_PRIVATE: 'true',
      ...(options.apps && { PUSH_APPS_FILE: appsFile }),
      ...options.env,
    },
    options.databaseUrl,
  )
  const { services, env } = app
  if (!options.idle) await services.start()
  const replicas: AppServices[] = []

  return {
    ...app,
    caFile: tls.caFile,
    apns,
    sandbox,
    fcm,
    webPush,
    ...pushClient(services),

    /** Services of another replica, with the same database and gateways. */
    async replica(change: Record<string, string> = {}) {
      const other = await buildServices(loadConfig({ ...env, ...change }), cheapPasswords)
      replicas.push(other)
      return { services: other, ...pushClient(other) }
    },

    /** A browser that is subscribed with the app's VAPID key. */
    browser() {
      const browser = new VirtualBrowser(webPush)
      return { browser, subscription: browser.subscribe(publicKey) }
    },

    user: (): Promise<TestUser> => createUser(services),

    async close() {
      for (const replica of replicas) await replica.close()
      await app.close()
      await Promise.all([apns.close(), sandbox.close(), fcm.close(), webPush.close()])
    },
  }
}

export const iosToken = () => randomBytes(32).toString('hex')
export const androidToken = () => randomBytes(40).toString('base64url')

/**
 * Inserts `count` devices into the database, alternating between the platforms, with one new user each unless given.
 */
export async function seedDevices(
  db: pg.Pool,
  count: number,
  options: { userId?: string; platform?: 'ios' | 'android'; app?: string } = {},
): Promise<{ ids: string[]; tokens: string[]; userIds: string[] }> {
  const ids = Array.from({ length: count }, () => newId())
  const platforms = ids.map((_, i) => options.platform ?? (i % 2 === 0 ? 'ios' : 'android'))
  const tokens = platforms.map((platform) => (platform === 'ios' ? iosToken() : androidToken()))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'))
  const userIds = ids.map(() => options.userId ?? newId())
  if (!options.userId)
    await db.query(
      `INSERT INTO users (id, email) SELECT id, id || '@example.com' FROM unnest($1::uuid[]) AS u (id)`,
      [userIds],
    )
  await db.query(
    `INSERT INTO devices (id, user_id, platform, token, token_hash, app)
     SELECT *, $6 FROM unnest($1::uuid[], $2::uuid[], $3::platform[], $4::text[], $5::text[])`,
    [ids, userIds, platforms, tokens, hashes, options.app ?? 'default'],
  )
  return { ids, tokens, userIds }
}
