import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApnsEmulator, startApns } from '../src/apns/emulator.ts'
import {
  baseOptions,
  jwt,
  KEY_ID,
  type PushOptions,
  RawClient,
  removeTls,
  TEAM,
  TOKEN,
  TOPIC,
} from './apns.client.ts'

let apns: ApnsEmulator
let client: RawClient

beforeAll(async () => {
  apns = await startApns(baseOptions)
  apns.devices.set('cc'.repeat(32), { environment: 'sandbox' })
  apns.devices.set('dd'.repeat(32), { topic: 'com.example.other' })
  apns.devices.set('ee'.repeat(32), { gone: { reason: 'Unregistered', since: 1_700_000_000_123 } })
  apns.devices.set('ff'.repeat(32), { gone: { reason: 'ExpiredToken', since: 1_700_000_000_456 } })
  client = new RawClient(apns.url)
})
afterEach(() => {
  apns.faults.reset()
  apns.requestLog.clear()
})
afterAll(async () => {
  client.close()
  await apns.close()
  await removeTls()
})

describe('a valid push', () => {
  test('gets 200 without a body and appears in the request log', async () => {
    const id = '123e4567-e89b-12d3-a456-426614174000'
    const response = await client.push({
      headers: {
        'apns-id': id,
        'apns-collapse-id': 'news',
        'apns-priority': '5',
        'apns-expiration': '1800000000',
      },
      body: '{"aps":{"alert":"x"},"k":1}',
    })
    expect(response).toMatchObject({ status: 200, body: null, headers: { 'apns-id': id } })
    expect(apns.requestLog.accepted).toMatchObject([
      {
        seq: 1,
        token: TOKEN,
        topic: TOPIC,
        pushType: 'alert',
        priority: 5,
        expiration: 1_800_000_000,
        collapseId: 'news',
        apnsId: id,
        payload: { aps: { alert: 'x' }, k: 1 },
      },
    ])
    expect(apns.requestLog.accepted[0]?.headers['apns-topic']).toBe(TOPIC)
  })

  test('gets an apns-id if it has none', async () => {
    const response = await client.push()
    expect(response.headers['apns-id']).toMatch(/^[0-9A-F-]{36}$/)
  })

  test.each<[string, PushOptions]>([
    ['no push type', { headers: { 'apns-push-type': undefined } }],
    ['a background push', { headers: { 'apns-push-type': 'background', 'apns-priority': '5' } }],
    ['a voip push', { headers: { 'apns-push-type': 'voip', 'apns-topic': `${TOPIC}.voip` } }],
    [
      'a voip payload of 5 KB',
      {
        headers: { 'apns-push-type': 'voip', 'apns-topic': `${TOPIC}.voip` },
        body: JSON.stringify({ x: 'y'.repeat(5112) }),
      },
    ],
    ['a payload of 4096 bytes', { body: JSON.stringify({ x: 'y'.repeat(4088) }) }],
    ['a collapse ID of 64 bytes', { headers: { 'apns-collapse-id': 'é'.repeat(32) } }],
    ['a token of 100 bytes', { token: 'ab'.repeat(100) }],
    ['upper-case hex', { token: 'AB'.repeat(32) }],
  ])('is accepted with %s', async (_, options) => {
    expect(await client.push(options)).toMatchObject({ status: 200 })
  })
})

describe('an invalid push is rejected with Apple’s reason', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Math.floor(Date.now() / 1000)
  const bearer = (token: string): PushOptions => ({ headers: { authorization: `bearer ${token}` } })
  const bad = jwt()
  const cases: Array<[what: string, status: number, reason: string, options: PushOptions]> = [
    ['PUT', 405, 'MethodNotAllowed', { method: 'PUT' }],
    ['wrong path', 404, 'BadPath', { path: '/4/device/x' }],
    ['path below the device', 404, 'BadPath', { path: `/3/device/${TOKEN}/x` }],
    ['no device token', 400, 'MissingDeviceToken', { path: '/3/device/' }],
    ['short device token', 400, 'BadDeviceToken', { token: 'ab'.repeat(31) }],
    ['long device token', 400, 'BadDeviceToken', { token: 'ab'.repeat(101) }],
    ['not hex', 400, 'BadDeviceToken', { token: 'xy'.repeat(32) }],
    ['sandbox device', 400, 'BadDeviceToken', { token: 'CC'.repeat(32) }],
    ['device of another app', 400, 'DeviceTokenNotForTopic', { token: 'dd'.repeat(32) }],
    ['no provider token', 403, 'MissingProviderToken', { headers: { authorization: undefined } }],
    ['basic auth', 403, 'MissingProviderToken', { headers: { authorization: 'Basic x' } }],
    ['not a JWT', 403, 'InvalidProviderToken', bearer('abc')],
    ['foreign key', 403, 'InvalidProviderToken', bearer(jwt({}, {}, other.privateKey))],
    [
      'altered claims',
      403,
      'InvalidProviderToken',
      bearer(bad.replace(/\.[^.]+\./, `.${jwt({ iat: now - 9 }).split('.')[1]}.`)),
    ],
    ['unknown kid', 403, 'InvalidProviderToken', bearer(jwt({}, { kid: `${KEY_ID}X` }))],
    ['no kid', 403, 'InvalidProviderToken', bearer(jwt({}, { kid: undefined }))],
    ['alg none', 403, 'InvalidProviderToken', bearer(jwt({}, { alg: 'none' }))],
    ['unknown team', 403, 'InvalidProviderToken', bearer(jwt({ iss: `${TEAM}X` }))],
    ['no iat', 403, 'InvalidProviderToken', bearer(jwt({ iat: undefined }))],
    ['iat in milliseconds', 403, 'InvalidProviderToken', bearer(jwt({ iat: Date.now() }))],
    ['over an hour old', 403, 'ExpiredProviderToken', bearer(jwt({ iat: now - 3605 }))],
    ['second token within 20 minutes', 429, 'TooManyProviderTokenUpdates', bearer(jwt({ iat: now - 60 }))],
    ['no topic', 400, 'MissingTopic', { headers: { 'apns-topic': undefined } }],
    ['malformed topic', 400, 'BadTopic', { headers: { 'apns-topic': 'com example' } }],
    ['unknown topic', 400, 'TopicDisallowed', { headers: { 'apns-topic': 'com.example.evil' } }],
    ['voip without suffix', 400, 'TopicDisallowed', { headers: { 'apns-push-type': 'voip' } }],
    ['suffix without voip', 400, 'TopicDisallowed', { headers: { 'apns-topic': `${TOPIC}.voip` } }],
    ['push type', 400, 'InvalidPushType', { headers: { 'apns-push-type': 'constructor' } }],
    ['priority', 400, 'BadPriority', { headers: { 'apns-priority': '7' } }],
    ['background at 10', 400, 'BadPriority', { headers: { 'apns-push-type': 'background' } }],
    ['expiration', 400, 'BadExpirationDate', { headers: { 'apns-expiration': 'tomorrow' } }],
    ['apns-id', 400, 'BadMessageId', { headers: { 'apns-id': 'abc' } }],
    ['collapse id', 400, 'BadCollapseId', { headers: { 'apns-collapse-id': 'é'.repeat(33) } }],
    ['header twice', 400, 'DuplicateHeaders', { headers: { 'apns-collapse-id': ['a', 'b'] } }],
    ['empty body', 400, 'PayloadEmpty', { body: '' }],
    ['empty object', 400, 'PayloadEmpty', { body: '{}' }],
    ['not JSON', 400, 'PayloadEmpty', { body: '{"aps":' }],
    ['not an object', 400, 'PayloadEmpty', { body: '["aps"]' }],
    ['4097 bytes', 413, 'PayloadTooLarge', { body: JSON.stringify({ x: 'y'.repeat(4089) }) }],
    ['200 KB', 413, 'PayloadTooLarge', { body: JSON.stringify({ x: 'y'.repeat(200_000) }) }],
  ]
  test.each(cases)('%s: %i %s', async (_, status, reason, options) => {
    await client.push()
    const response = await client.push(options)
    expect(response).toMatchObject({ status, body: { reason } })
    expect(response.headers['apns-id']).toMatch(/^[0-9A-Fa-f-]{36}$/)
    expect(apns.requestLog.counts).toMatchObject({
      accepted: 1,
      rejected: 1,
      rejectedByReason: { [reason]: 1 },
    })
  })

  test.each([
    ['ee', 'Unregistered', 1_700_000_000_123],
    ['ff', 'ExpiredToken', 1_700_000_000_456],
  ])('410 %s %s includes its time', async (hex, reason, timestamp) => {
    expect(await client.push({ token: hex.repeat(32) })).toMatchObject({
      status: 410,
      body: { reason, timestamp },
    })
  })
})
