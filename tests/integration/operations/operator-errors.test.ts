// Errors caused by a wrong setting name the variable and say what to do.

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Emulators, startEmulators } from '@pigeonhole/emulators'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabaseState } from '../../../src/server/adapters/postgres/database-state.ts'
import { createPool, SHORT } from '../../../src/server/adapters/postgres/pool.ts'
import { waitForDatabase } from '../../../src/server/adapters/postgres/wait-for-database.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { trustedTls } from '../../support/emulators/push-gateways.ts'
import { commandHere } from '../../support/process/command-here.ts'

let database: TestDatabase
let folder: string
let emulators: Emulators
beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-operator-'))
  symlinkSync((await trustedTls()).dir, join(folder, 'tls'))
  const s3 = { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'operator-secret' }
  emulators = await startEmulators({ dir: folder, s3, corsOrigins: ['http://localhost:3000'] })
})
afterAll(async () => {
  await emulators?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({
  ...emulators.env,
  DATABASE_URL: database.url,
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a-session-secret-that-is-long-enough',
  PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough',
  APNS_TEAM_ID: '',
  APNS_KEY_ID: '',
  APNS_PRIVATE_KEY: '',
  APNS_TOPIC: '',
  FIREBASE_PROJECT_ID: '',
})

describe('bucket:setup and doctor name a wrong setting of the store', () => {
  const page = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>A console</body></html>'),
  ).listen(0)
  const notFound = createServer((_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html><br></html>'),
  ).listen(0)
  afterAll(() => {
    page.close()
    notFound.close()
  })
  const url = (server: ReturnType<typeof createServer>) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'the secret',
      () => ({ S3_SECRET_ACCESS_KEY: 'wrong' }),
      /HTTP 403 SignatureDoesNotMatch, .*: check S3_SECRET_ACCESS_KEY/,
    ],
    [
      'the key',
      () => ({ S3_ACCESS_KEY_ID: 'AKIAWRONG' }),
      /HTTP 403 InvalidAccessKeyId, .*: check S3_ACCESS_KEY_ID/,
    ],
    [
      'the region',
      () => ({ S3_REGION: 'mars-1' }),
      /HTTP 400 AuthorizationHeaderMalformed, .*: check S3_REGION/,
    ],
    [
      'a port where nothing listens',
      () => ({ S3_ENDPOINT: 'http://127.0.0.1:1' }),
      /ECONNREFUSED.*: check the host and port in S3_ENDPOINT/,
    ],
    [
      'a host that does not exist',
      () => ({ S3_ENDPOINT: 'http://store.invalid' }),
      /store\.invalid: check the host name in S3_ENDPOINT/,
    ],
    [
      'https on a port that speaks HTTP',
      () => ({ S3_ENDPOINT: emulators.env.S3_ENDPOINT!.replace('http:', 'https:') }),
      /S3_ENDPOINT is https, but its port does not accept TLS/,
    ],
    [
      'an endpoint that is a web page',
      () => ({ S3_ENDPOINT: url(page) }),
      /the response is not from an S3 API: check S3_ENDPOINT/,
    ],
    [
      'an endpoint that is another server',
      () => ({ S3_ENDPOINT: url(notFound) }),
      /HTTP 404 without an S3 error code: check that S3_ENDPOINT is the address of an S3 API/,
    ],
  ])('%s', async (_, wrong, message) => {
    const env = { ...environment(), ...wrong() }
    const setup = await commandHere('bucket-setup', [], env)
    expect(setup.code).toBe(1)
    expect(setup.err).toMatch(/^bucket:setup: bucket pigeonhole is not reachable: [^\n]+\n$/)
    expect(setup.err).toMatch(message)
    const doctor = await commandHere('doctor', [], env)
    expect(doctor.code).toBe(1)
    expect(doctor.out).toMatch(/^FAIL {2}store-bucket: bucket pigeonhole is not reachable: /m)
    expect(doctor.out).toMatch(message)
    expect(setup.err + doctor.out).not.toContain('UnknownError')
  })

  test('a missing bucket: the error says how to create it', async () => {
    const env = { ...environment(), S3_BUCKET: 'nowhere' }
    expect((await commandHere('bucket-setup', [], env)).err).toContain('npm run bucket:setup -- --create')
    expect((await commandHere('doctor', [], env)).out).toMatch(
      /HTTP 404 NoSuchBucket, .*: check S3_BUCKET, or create the bucket with npm run bucket:setup -- --create/,
    )
  })
})

describe('a database that a command cannot use causes one line that says what to do', () => {
  const wrongPassword = () => {
    const url = new URL(database.url)
    url.password = 'not-the-password'
    return url.href
  }
  const nowhere = () => {
    const url = new URL(database.url)
    url.pathname = '/nowhere'
    return url.href
  }
  const login = ['--email', 'a@example.com', '--password', 'twelve characters']

  test.each([
    ['user-create', login],
    ['quota-check', []],
    ['devices-enable', ['--since', '2026-01-01T00:00:00Z']],
  ])('%s without migrations: npm run db:migrate', async (name, args) => {
    const empty = await createTestDatabase({ empty: true })
    const { code, err } = await commandHere(name, args, { DATABASE_URL: empty.url })
    await empty.drop()
    expect(code).not.toBe(0)
    expect(err).toMatch(/^[a-z]+:[a-z]+: the database cannot be used: [^\n]*run: npm run db:migrate\n$/)
  })

  test.each<[string, () => string, string]>([
    ['a wrong password', wrongPassword, 'it rejects the user or password in DATABASE_URL'],
    ['a database that does not exist', nowhere, 'the database that DATABASE_URL names does not exist'],
    [
      'a port where nothing listens',
      () => 'postgresql://127.0.0.1:1/db',
      'nothing answers at the host and port in DATABASE_URL',
    ],
  ])('user:create with %s', async (_, url, message) => {
    const { code, err } = await commandHere('user-create', login, { DATABASE_URL: url() })
    expect(code).toBe(1)
    expect(err).toMatch(/^user:create: [^\n]+\n$/)
    expect(err).toContain(message)
    expect(err).not.toContain('not-the-password')
  })

  test('doctor with a wrong password', async () => {
    const { out } = await commandHere('doctor', [], { ...environment(), DATABASE_URL: wrongPassword() })
    expect(out).toMatch(/^FAIL {2}database-connection: .*: it rejects the user or password in DATABASE_URL$/m)
  })

  test('npm start with a wrong password, in the log while it waits', async () => {
    const pool = createPool(wrongPassword(), 1, SHORT)
    const warned: string[] = []
    const log = { warn: (_: unknown, text?: string) => warned.push(text!), info() {} }
    const state = createDatabaseState({ pool, needed: [], clock: systemClock })
    const started = waitForDatabase(() => state.schemaFault(), log as never, 0)
    await expect(started).rejects.toThrow(
      'does not accept connections (28P01): it rejects the user or password in DATABASE_URL',
    )
    await pool.close()
  })
})
