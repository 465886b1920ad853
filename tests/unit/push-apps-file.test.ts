import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../src/server/config/config.ts'

const pkcs8 = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const
const keyOf = () => generateKeyPairSync('ec', { namedCurve: 'P-256', ...pkcs8 }).privateKey.trim()
const [variablesKey, ownKey] = [keyOf(), keyOf()]

const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-apps-'))
afterAll(() => rmSync(dir, { recursive: true }))
writeFileSync(join(dir, 'shop.p8'), ownKey)
writeFileSync(join(dir, 'rsa.p8'), generateKeyPairSync('rsa', { modulusLength: 2048, ...pkcs8 }).privateKey)
writeFileSync(join(dir, 'shop.json'), '{"type":"service_account"}')
writeFileSync(join(dir, 'other.json'), '{"type":"gdch_service_account"}')

const variables = {
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:5432/db',
  NEXTAUTH_URL: 'https://files.example.com/',
  NEXTAUTH_SECRET: 's'.repeat(32),
  PUSH_TOKEN_ADMIN_SECRET: 'a'.repeat(32),
  S3_BUCKET: 'bucket',
  S3_REGION: 'eu-central-1',
}
const apns = {
  APNS_TEAM_ID: 'TEAM',
  APNS_KEY_ID: 'KEY',
  APNS_PRIVATE_KEY: variablesKey,
  APNS_TOPIC: 'com.example',
}

function load(text: string | undefined, more: Record<string, string> = apns) {
  const path = join(dir, 'apps.json')
  if (text !== undefined) writeFileSync(path, text)
  return loadConfig({
    ...variables,
    ...more,
    PUSH_APPS_FILE: text === undefined ? join(dir, 'missing.json') : path,
  })
}

function faultsOf(file: unknown, more?: Record<string, string>): string[] {
  try {
    load(typeof file === 'string' || file === undefined ? file : JSON.stringify(file), more)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('PUSH_APPS_FILE', () => {
  test('adds apps to `default`; APNS_* complete them, and paths are relative to the file', () => {
    const { pushApps } = load(
      JSON.stringify({
        shop: {
          apns: { topic: 'com.example.shop' },
          fcm: { projectId: 'shop-1', credentialsFile: 'shop.json' },
        },
        driver: {
          apns: { topic: 'org.example', teamId: 'T2', keyId: 'K2', privateKeyFile: 'shop.p8' },
        },
        web: {},
      }),
    )
    expect([...pushApps.keys()]).toEqual(['default', 'shop', 'driver', 'web'])
    expect(pushApps.get('default')?.apns).toMatchObject({ topic: 'com.example', teamId: 'TEAM' })
    expect(pushApps.get('shop')?.apns).toEqual({
      ...pushApps.get('default')?.apns,
      topic: 'com.example.shop',
    })
    expect(pushApps.get('shop')?.fcm).toMatchObject({
      projectId: 'shop-1',
      credentialsFile: join(dir, 'shop.json'),
      endpoint: 'https://fcm.googleapis.com',
    })
    expect(pushApps.get('driver')?.apns).toMatchObject({ teamId: 'T2', keyId: 'K2', privateKey: ownKey })
    expect(pushApps.get('driver')?.fcm).toBeUndefined()
    expect(pushApps.get('web')).toEqual({ apns: undefined, fcm: undefined })
  })

  const topic = 'com.example.shop'
  const fcm = { projectId: 'p', credentialsFile: 'shop.json' }
  test.each<[string, unknown, string]>([
    ['no topic', { a: { apns: {} } }, 'app "a", apns.topic: is missing'],
    ['a topic with a space', { a: { apns: { topic: 'a b' } } }, 'app "a", apns.topic: must have 1 to 255'],
    ['a number as topic', { a: { apns: { topic: 1 } } }, 'app "a", apns.topic: must be a string'],
    [
      'an unknown part',
      { a: { gcm: {} } },
      'app "a", gcm: is not a setting of this version; it has apns, fcm',
    ],
    [
      'an unknown field',
      { a: { apns: { topic, bundleId: 'x' } } },
      'app "a", apns.bundleId: is not a setting of this version; it has topic, teamId, keyId',
    ],
    ['no object', { a: { apns: 'x' } }, 'app "a", apns: must be an object'],
    [
      'a key without ID',
      { a: { apns: { topic, privateKeyFile: 'shop.p8' } } },
      'app "a", apns.keyId: is missing',
    ],
    ['an ID without key', { a: { apns: { topic, keyId: 'K' } } }, 'app "a", apns.privateKey: is missing'],
    [
      'a team without key',
      { a: { apns: { topic, teamId: 'T' } } },
      'app "a", apns.keyId: is missing: with teamId',
    ],
    [
      'two keys',
      { a: { apns: { topic, keyId: 'K', privateKey: ownKey, privateKeyFile: 'shop.p8' } } },
      'app "a", apns.privateKeyFile: cannot be combined with privateKey',
    ],
    [
      'no key file',
      { a: { apns: { topic, keyId: 'K', privateKeyFile: 'none.p8' } } },
      'app "a", apns.privateKeyFile: must name a readable file with an EC private key',
    ],
    [
      'an RSA key',
      { a: { apns: { topic, keyId: 'K', privateKeyFile: 'rsa.p8' } } },
      'app "a", apns.privateKeyFile: must name a readable file with an EC private key',
    ],
    ['no project', { a: { fcm: { credentialsFile: 'shop.json' } } }, 'app "a", fcm.projectId: is missing'],
    ['no credentials', { a: { fcm: { projectId: 'p' } } }, 'app "a", fcm.credentialsFile: is missing'],
    [
      'no credentials file',
      { a: { fcm: { ...fcm, credentialsFile: 'none.json' } } },
      'app "a", fcm.credentialsFile: must name a readable JSON credentials file',
    ],
    [
      'credentials of another type',
      { a: { fcm: { ...fcm, credentialsFile: 'other.json' } } },
      'app "a", fcm.credentialsFile: must name credentials of the type service_account',
    ],
    ['the app default', { default: { fcm } }, 'app "default": is the app that APNS_* and FIREBASE_* define'],
    ['a name with a slash', { 'a/b': {} }, 'app "a/b": the name must have'],
    ['a list', [], 'must name a file with a JSON object: an app for each name'],
    ['no JSON', '{', 'must name a file with JSON: '],
    ['no file', undefined, 'must name a readable JSON file with apps'],
    [
      '51 apps',
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, {}])),
      'must name a file with at most 50 apps, not 51',
    ],
  ])('with %s has one error, which names the app and the field', (_, file, fault) => {
    expect(faultsOf(file)).toEqual([expect.stringContaining(`PUSH_APPS_FILE ${fault}`)])
  })

  test('lists all errors, one line each', () => {
    const faults = faultsOf({ a: { apns: { topic: '' }, fcm: {} }, b: { x: 1 } })
    expect(faults.map((line) => line.split(':')[0])).toEqual([
      'PUSH_APPS_FILE app "a", apns.topic',
      'PUSH_APPS_FILE app "a", fcm.projectId',
      'PUSH_APPS_FILE app "a", fcm.credentialsFile',
      'PUSH_APPS_FILE app "b", x',
    ])
  })

  test('without APNS_*, an app needs a team and a key of its own', () => {
    const own = { topic, keyId: 'K', privateKeyFile: 'shop.p8' }
    expect(faultsOf({ a: { apns: { topic } }, b: { apns: own } }, {})).toEqual([
      'PUSH_APPS_FILE app "a", apns.keyId: is missing: set it, or all of APNS_*',
      'PUSH_APPS_FILE app "b", apns.teamId: is missing: set it, or all of APNS_*',
    ])
    expect(faultsOf({ a: { apns: { ...own, teamId: 'T' } } }, {})).toEqual([])
  })
})
