// `npm run doctor` against every dialect of the S3 emulator, the strict gateways and a real database: what it finds,
// what it says, how it ends, and that nothing stays.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { type Emulators, startEmulators } from '@pigeonhole/emulators'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import type { Finding } from '../../../src/cli/doctor/finding.ts'
import { createS3Client } from '../../../src/server/s3/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let folder: string
let emulators: Emulators
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())
afterEach(async () => {
  await emulators?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Dialect = NonNullable<Parameters<typeof startEmulators>[0]['s3']['dialect']>

async function start(dialect: Dialect = 'aws', corsOrigins = ['http://localhost:3000']) {
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-doctor-'))
  const s3 = { accessKeyId: 'AKIADOCTOR', secretAccessKey: 'doctor-secret', dialect }
  emulators = await startEmulators({ dir: folder, s3, corsOrigins })
  // The tokens that doctor sends to: the real gateways know no such device.
  emulators.apns.devices.set('0'.repeat(64), { environment: 'sandbox' })
  emulators.apnsSandbox.devices.set('0'.repeat(64), { environment: 'production' })
  emulators.fcm.devices.set('pigeonhole-doctor-no-such-device', 'INVALID_TOKEN')
}

const environment = () => ({
  ...emulators.env,
  DATABASE_URL: database.url,
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a-session-secret-that-is-long-enough',
  PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough',
})

async function command(name: string, args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(ROOT, `src/cli/${name}.ts`), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env } as NodeJS.ProcessEnv,
  })
  const [code, out, err] = await Promise.all([
    new Promise((resolve) => child.on('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, err }
}

/** The status of each check; the worst where one is reported for several origins. */
async function doctor(more: Record<string, string> = {}) {
  const { code, out, err } = await command('doctor', ['--json'], { ...environment(), ...more })
  expect(err).toBe('')
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] }
  expect(ok).toBe(code === 0)
  const statuses = Object.fromEntries(findings.map(({ check, status }) => [check, status]))
  return {
    code,
    findings,
    statuses,
    message: (check: string) => findings.find((f) => f.check === check)?.message,
  }
}

describe('under every dialect', () => {
  test.each<[Dialect, number, Record<string, Finding['status']>]>([
    ['aws', 0, {}],
    ['ceph', 0, { 'store-copy-condition': 'warn', 'store-absence-words': 'warn' }],
    [
      'minio',
      0,
      {
        'store-unsigned-copy-source': 'warn',
        'store-unsigned-metadata': 'warn',
        'store-lifecycle': 'warn',
      },
    ],
    [
      'swift',
      1,
      { 'store-part-after-completion': 'FAIL', 'store-part-numbers': 'FAIL', 'store-lifecycle': 'warn' },
    ],
  ])('%s: ends with %i, and says what differs from AWS', async (dialect, code, differs) => {
    await start(dialect)
    await command('bucket-setup', [], environment())
    const found = await doctor()
    const notOk = Object.entries(found.statuses).filter(([, status]) => status !== 'ok')
    expect(Object.fromEntries(notOk)).toMatchObject(differs)
    if (dialect === 'aws') expect(Object.keys(Object.fromEntries(notOk))).toEqual(['environment'])
    expect(found.code).toBe(code)
  })
})

test('S3_MAX_PARTS is the part number that is tried', async () => {
  await start('swift')
  const { statuses, message } = await doctor({ S3_MAX_PARTS: '1000' })
  expect([statuses['store-part-numbers'], message('store-part-numbers')]).toEqual([
    'ok',
    'part 1000 is accepted',
  ])
})

test('docs explain every finding by its name', async () => {
  await start()
  const { statuses } = await doctor()
  const docs = ['storage', 'operations']
    .map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
    .join()
  const names = [...Object.keys(statuses), 'store-cleanup']
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
})

test('nothing stays in the bucket', async () => {
  await start()
  await doctor()
  const client = createS3Client({
    bucket: emulators.env.S3_BUCKET!,
    region: emulators.env.S3_REGION!,
    endpoint: emulators.env.S3_ENDPOINT,
    publicEndpoint: undefined,
    forcePathStyle: true,
    credentials: { accessKeyId: 'AKIADOCTOR', secretAccessKey: 'doctor-secret' },
  })
  const Bucket = emulators.env.S3_BUCKET
  expect((await client.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).toEqual([])
  expect((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([])
  client.destroy()
})

describe('what is wrong is a FAIL that says what to do', () => {
  test('a missing variable: one finding each, and nothing else is tried', async () => {
    await start()
    const { code, findings } = await doctor({ S3_BUCKET: '', NEXTAUTH_URL: 'nowhere' })
    expect(code).toBe(1)
    expect(findings.map((f) => f.message.split(' ')[0]).sort()).toEqual(['NEXTAUTH_URL', 'S3_BUCKET'])
  })

  test('a database that is away; a bucket that is missing; a page whose origin may not upload', async () => {
    await start('aws', ['https://other.example.com'])
    const closed = createServer().listen(0)
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const away = await doctor({ DATABASE_URL: `postgresql://user:hidden@127.0.0.1:${port}/db` })
    expect(away.statuses).toMatchObject({
      'database-connection': 'FAIL',
      'store-cors': 'FAIL',
      'store-bucket': 'ok',
    })
    expect(away.message('store-cors')).toMatch(/http:\/\/localhost:3000.*npm run bucket:setup/)
    expect(JSON.stringify(away.findings)).not.toContain('hidden')

    const missing = await doctor({ S3_BUCKET: 'nowhere' })
    expect(missing.statuses['store-bucket']).toBe('FAIL')
    expect(missing.message('store-bucket')).toContain('S3_BUCKET')
  })

  test('a database without tables wants migrations', async () => {
    await start()
    const empty = await createTestDatabase({ empty: true })
    const { statuses, message } = await doctor({ DATABASE_URL: empty.url })
    await empty.drop()
    expect(statuses['database-migrations']).toBe('FAIL')
    expect(message('database-migrations')).toContain('npm run db:migrate')
  })

  test('credentials that the gateways refuse', async () => {
    await start()
    const { code, statuses } = await doctor({
      APNS_TOPIC: 'com.example.wrong',
      FIREBASE_PROJECT_ID: 'wrong-project',
    })
    expect(code).toBe(1)
    expect(statuses).toMatchObject({ 'apns-production': 'FAIL', 'apns-sandbox': 'FAIL', fcm: 'FAIL' })
  })
})

test('gateways that are not configured are a warning', async () => {
  await start()
  const none = {
    APNS_TEAM_ID: '',
    APNS_KEY_ID: '',
    APNS_PRIVATE_KEY: '',
    APNS_TOPIC: '',
    FIREBASE_PROJECT_ID: '',
  }
  const { statuses } = await doctor(none)
  expect(statuses).toMatchObject({ apns: 'warn', fcm: 'warn' })
})

test('without --json one line for each finding', async () => {
  await start()
  const { out } = await command('doctor', [], environment())
  expect(out).toMatch(/^ok {4}database-migrations: all \d+ applied$/m)
  expect(out).toMatch(/^warn {2}store-lifecycle: none/m)
})
