// `npm run doctor` against every dialect of the S3 emulator, the strict gateways and a real database: findings,
// messages and exit codes. It leaves nothing behind.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { type Emulators, startEmulators } from '@pigeonhole/emulators'
import { startMailbox } from '@pigeonhole/emulators/mailbox'
import { startOidc } from '@pigeonhole/emulators/oidc'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { MIGRATIONS } from '../../../src/cli/migrations-folder.ts'
import { warnOfFaults } from '../../../src/cli/serve/warn-of-faults.ts'
import { lifecycleRules, putLifecycle } from '../../../src/server/adapters/s3/bucket-rules.ts'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { loadConfig } from '../../../src/server/config/config.ts'
import { checkDatabase } from '../../../src/server/doctor/check-database.ts'
import { checkGatewayClocks } from '../../../src/server/doctor/check-gateways.ts'
import { checkIssuer } from '../../../src/server/doctor/check-issuer.ts'
import { checkObjectStore } from '../../../src/server/doctor/check-object-store.ts'
import { checkSmtp } from '../../../src/server/doctor/check-smtp.ts'
import { runChecks } from '../../../src/server/doctor/doctor.ts'
import type { Report } from '../../../src/server/doctor/report.ts'
import type { Finding } from '../../../src/server/kernel/finding.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { trustedTls } from '../../support/emulators/push-gateways.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { commandHere } from '../../support/process/command-here.ts'

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
  // This process trusts the gateways too.
  symlinkSync((await trustedTls()).dir, join(folder, 'tls'))
  const s3 = { accessKeyId: 'AKIADOCTOR', secretAccessKey: 'doctor-secret', dialect }
  emulators = await startEmulators({ dir: folder, s3, corsOrigins })
  // The device tokens that doctor uses, which no real gateway knows.
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

const NO_GATEWAYS = {
  APNS_TEAM_ID: '',
  APNS_KEY_ID: '',
  APNS_PRIVATE_KEY: '',
  APNS_TOPIC: '',
  FIREBASE_PROJECT_ID: '',
  WEB_PUSH_PUBLIC_KEY: '',
  WEB_PUSH_PRIVATE_KEY: '',
  WEB_PUSH_SUBJECT: '',
}

async function query(text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(text, values).finally(() => client.end())
}

async function doctorProcess(args: string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/doctor.ts'), ...args], {
    env: childEnv({ NODE_ENV: 'test', ...environment() }),
  })
  const [code, out, err] = await Promise.all([
    new Promise<number>((resolve) => child.on('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, err }
}

/** Runs the command's checks in this process. Returns the status of each one, the worst if several origins have one. */
async function doctor(more: Record<string, string> = {}) {
  const findings: Finding[] = []
  await runChecks(loadConfig({ ...environment(), ...more }), MIGRATIONS, (check, status, message) =>
    findings.push({ check, status, message }),
  )
  return summary(findings)
}

function summary(findings: Finding[]) {
  return {
    findings,
    statuses: Object.fromEntries(findings.map(({ check, status }) => [check, status])),
    message: (check: string) => findings.find((f) => f.check === check)?.message,
  }
}

/** Parses what the command printed with --json. */
function readJson({ code, out, err }: Awaited<ReturnType<typeof commandHere>>) {
  expect(err).toBe('')
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] }
  expect(ok).toBe(code === 0)
  return { code, ...summary(findings) }
}

describe('under every dialect', () => {
  /** Sets the rules like `npm run bucket:setup`. Some stores reject them. */
  async function setLifecycleRules() {
    const { s3, uploads } = loadConfig(environment())
    const client = createS3Client(s3)
    await putLifecycle(client, s3.bucket, lifecycleRules(uploads)).catch(() => {})
    client.destroy()
  }

  test.each<[Dialect, Record<string, Finding['status']>]>([
    ['aws', {}],
    ['ceph', { 'store-copy-condition': 'warn', 'store-ended-upload-errors': 'warn' }],
    [
      'minio',
      {
        'store-unsigned-metadata': 'warn',
        'store-lifecycle': 'warn',
      },
    ],
    [
      'swift',
      { 'store-part-after-completion': 'warn', 'store-part-numbers': 'FAIL', 'store-lifecycle': 'warn' },
    ],
  ])('%s: reports what differs from AWS', async (dialect, differs) => {
    await start(dialect)
    await setLifecycleRules()
    const { statuses } = await doctor()
    const notOk = Object.entries(statuses).filter(([, status]) => status !== 'ok')
    expect(Object.fromEntries(notOk)).toMatchObject(differs)
    if (dialect === 'aws') expect(Object.keys(Object.fromEntries(notOk))).toEqual(['environment'])
  })

  const NO_UPLOAD_KEY = { S3_UPLOAD_ACCESS_KEY_ID: '', S3_UPLOAD_SECRET_ACCESS_KEY: '' }
  const COPY = 'store-unsigned-copy-source'

  test.each(['ceph', 'minio', 'swift'] as const)(
    '%s: FAIL if a presigned PUT can copy, until a write-only credential signs it',
    async (dialect) => {
      await start(dialect)
      const open = await doctor(NO_UPLOAD_KEY)
      expect(open.statuses[COPY]).toBe('FAIL')
      expect(open.message(COPY)).toMatch(/turns a PUT and a part into a copy.*bucket:setup.*S3_UPLOAD_ACCESS/)
      expect((await doctor()).statuses[COPY]).toBe('ok')
    },
  )

  test.each([
    ['minio', 'ok'],
    // Its policies cannot tell how a request was signed, so parts stay unprotected.
    ['ceph', 'FAIL'],
  ] as const)('%s: bucket:setup denies copies by policy, and doctor finds %s', async (dialect, status) => {
    await start(dialect)
    const { code, out } = await commandHere('bucket-setup', [], { ...environment(), ...NO_UPLOAD_KEY })
    expect(out).toContain('bucket policy against copies set')
    expect(code).toBe(dialect === 'minio' ? 1 : 0)
    const { statuses, message } = await doctor(NO_UPLOAD_KEY)
    expect(statuses[COPY]).toBe(status)
    if (status === 'FAIL') expect(message(COPY)).toMatch(/^an unsigned x-amz-copy-source turns a part into/)
  })
})

test('swift: doctor exits with 0 once S3_MAX_PARTS is set, and says what a late part causes', async () => {
  await start('swift')
  const { code, out } = await commandHere('doctor', [], { ...environment(), S3_MAX_PARTS: '1000' })
  expect(out).toMatch(
    /^warn {2}store-part-after-completion: a part URL accepts bytes after completion: the store then returns an error/m,
  )
  expect(out).not.toMatch(/^FAIL/m)
  expect(code).toBe(0)
})

test('doctor reads public/, files/ and staging/ through S3_PUBLIC_URL, which must serve only the first', async () => {
  await start()
  const { s3 } = loadConfig(environment())
  const S3_PUBLIC_URL = `${s3.endpoint}/${s3.bucket}`
  const { faults } = emulators.s3
  const check = async (more: Record<string, string> = {}) => {
    const { statuses, message } = await doctor({ ...NO_GATEWAYS, S3_PUBLIC_URL, ...more })
    const checks = ['store-public-read', 'store-private-prefixes'] as const
    return { statuses: checks.map((name) => statuses[name]), messages: checks.map(message) }
  }
  const closed = await check()
  expect(closed.statuses).toEqual(['FAIL', 'ok'])
  expect(closed.messages[0]).toContain('HTTP 403')
  faults.publicRead({ prefix: 'public/' })
  expect((await check()).statuses).toEqual(['ok', 'ok'])

  faults.publicRead({ prefix: 'files/' })
  expect((await check()).statuses).toEqual(['ok', 'FAIL'])
  const policies = writePolicies({ scan: { hold: true } })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `WITH owner AS (INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'before@example.com') RETURNING id)
     INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
     SELECT gen_random_uuid(), id, 'a.png', 'image/png', 1, 'files/a', 'READY' FROM owner`,
  )
  const before = await check()
  expect(before.statuses).toEqual(['ok', 'warn'])
  expect(before.messages[1]).toContain('public files of an earlier version need')
  expect((await check({ UPLOAD_POLICIES_FILE: policies.path })).statuses).toEqual(['ok', 'FAIL'])
  policies.remove()
  await client.query(`DELETE FROM users WHERE email = 'before@example.com'`)
  await client.end()

  faults.publicRead()
  expect((await check()).messages[1]).toContain('files/, staging/ can be read through S3_PUBLIC_URL')
})

test('the part-number check uses S3_MAX_PARTS', async () => {
  await start('swift')
  const { statuses, message } = await doctor({ S3_MAX_PARTS: '1000' })
  expect([statuses['store-part-numbers'], message('store-part-numbers')]).toEqual([
    'ok',
    'part 1000 is accepted',
  ])
})

test('the command exits with 0 if the service works, the documents explain every finding, and the bucket stays empty', async () => {
  await start()
  const { code, statuses } = readJson(await doctorProcess(['--json']))
  expect([code, statuses['store-lifecycle']]).toEqual([0, 'warn'])
  const docs = ['storage', 'operations']
    .map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
    .join()
  const names = [...Object.keys(statuses), 'store-cleanup', 'store-public-endpoint', 'storage-ceiling']
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
  const { s3 } = loadConfig(environment())
  const client = createS3Client(s3)
  const bucket = { Bucket: s3.bucket }
  expect((await client.send(new ListObjectsV2Command(bucket))).Contents ?? []).toEqual([])
  expect((await client.send(new ListMultipartUploadsCommand(bucket))).Uploads ?? []).toEqual([])
  client.destroy()
})

describe('a fault causes a FAIL that says what to do', () => {
  test('each missing variable causes one finding, and nothing else is checked', async () => {
    await start()
    const { code, findings } = readJson(
      await commandHere('doctor', ['--json'], { ...environment(), S3_BUCKET: '', NEXTAUTH_URL: 'nowhere' }),
    )
    expect(code).toBe(1)
    expect(findings.map((f) => f.message.split(' ')[0]).sort()).toEqual(['NEXTAUTH_URL', 'S3_BUCKET'])
  })

  test('an unavailable database, a missing bucket, and a page whose origin cannot upload', async () => {
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

  test('a database without tables, which needs migrations', async () => {
    await start()
    const empty = await createTestDatabase({ empty: true })
    const { statuses, message } = await doctor({ DATABASE_URL: empty.url })
    await empty.drop()
    expect(statuses['database-migrations']).toBe('FAIL')
    expect(message('database-migrations')).toContain('npm run db:migrate')
  })

  test('credentials that the gateways reject', async () => {
    await start()
    const { statuses, message } = await doctor({
      APNS_TOPIC: 'com.example.wrong',
      FIREBASE_PROJECT_ID: 'wrong-project',
    })
    expect(statuses).toMatchObject({ 'apns-production': 'FAIL', 'apns-sandbox': 'FAIL', fcm: 'FAIL' })
    for (const check of ['apns-production', 'apns-sandbox'])
      expect(message(check)).toMatch(/^responds with TopicDisallowed: /)
    expect(message('fcm')).toMatch(/^responds with NOT_FOUND: /)
  })

  test('each app of PUSH_APPS_FILE: findings begin with its name', async () => {
    await start()
    const file = emulators.env.GOOGLE_APPLICATION_CREDENTIALS!
    const apps = {
      shop: {
        apns: { topic: emulators.env.APNS_TOPIC },
        fcm: { projectId: emulators.env.FIREBASE_PROJECT_ID, credentialsFile: file },
      },
      wrong: {
        apns: { topic: 'com.example.wrong' },
        fcm: { projectId: 'wrong-project', credentialsFile: file },
      },
      browsers: {},
    }
    const path = join(folder, 'apps.json')
    writeFileSync(path, JSON.stringify(apps))
    const { statuses, message } = await doctor({ PUSH_APPS_FILE: path })
    expect(message('apps')).toBe('4 apps: default, shop, wrong, browsers')
    expect(statuses).toMatchObject({
      'apns-production': 'ok',
      fcm: 'ok',
      'shop/apns-production': 'ok',
      'shop/apns-sandbox': 'ok',
      'shop/fcm': 'ok',
      'wrong/apns-production': 'FAIL',
      'wrong/fcm': 'FAIL',
      'browsers/apns': 'warn',
      'browsers/fcm': 'warn',
    })
    expect(message('wrong/apns-production')).toMatch(
      /^responds with TopicDisallowed: check topic and key of app "wrong" in PUSH_APPS_FILE/,
    )
    expect(message('wrong/fcm')).toMatch(
      /^responds with NOT_FOUND: check projectId and credentialsFile of app "wrong"/,
    )
  })

  test('credentials for which Google grants no token: the error quotes Google', async () => {
    await start()
    const file = emulators.env.GOOGLE_APPLICATION_CREDENTIALS!
    writeFileSync(`${file}.subject-token`, 'revoked')
    const { statuses, message } = await doctor()
    expect(statuses.fcm).toBe('FAIL')
    expect(message('fcm')).toMatch(
      /invalid_grant.*subject token.*: check the file of GOOGLE_APPLICATION_CREDENTIALS/,
    )
  })
})

/** Runs a check in this process and returns its findings. */
async function findingsOf(check: (report: Report) => Promise<void>) {
  const found: Record<string, [Finding['status'], string, Finding['receivers']?]> = {}
  await check((name, status, message, receivers) => {
    found[name] = receivers ? [status, message, receivers] : [status, message]
  })
  return found
}

describe('the files of all users', () => {
  const look = (totalStorageBytes?: number) =>
    findingsOf((report) =>
      checkDatabase({ databaseUrl: database.url, totalStorageBytes }, MIGRATIONS, report),
    )
  const insert = 'INSERT INTO users (id, email, used_bytes, reserved_bytes) VALUES ($1, $2, 80, 10)'
  beforeAll(() => start())
  afterEach(() => query('DELETE FROM users'))

  test('90% of TOTAL_STORAGE_BYTES causes a warning, and less does not', async () => {
    await query(insert, [randomUUID(), 'ceiling@example.com'])
    const [status, message] = (await look(100))['storage-ceiling']!
    expect(status).toBe('warn')
    expect(message).toMatch(/^90 of the 100 bytes of TOTAL_STORAGE_BYTES .* soon/)
    expect((await look(101))['storage-ceiling']![0]).toBe('ok')
    expect(await look()).not.toHaveProperty('storage-ceiling')
  })

  test('files that cannot be cleaned up cause a warning', async () => {
    const user = randomUUID()
    await query(insert, [user, 'cleanup@example.com'])
    expect((await look())['files-cleanup']![0]).toBe('ok')
    await query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, reserved_bytes, cleanup_failing_since)
       VALUES ($1, $2, 'a.png', 'image/png', 10, 'a', 'ABORTED', 10, now())`,
      [randomUUID(), user],
    )
    const [status, message] = (await look())['files-cleanup']!
    expect(status).toBe('warn')
    expect(message).toMatch(/ fails \(files: 1, bytes of quota: 10\): npm run quota:check/)
  })
})

describe('receivers of webhooks', () => {
  const look = async () =>
    (
      await findingsOf((report) =>
        checkDatabase({ databaseUrl: database.url, totalStorageBytes: undefined }, MIGRATIONS, report),
      )
    ).webhooks
  async function insert(url: string, column: string, ago: string): Promise<string> {
    const id = randomUUID()
    await query(
      `INSERT INTO webhooks (id, url, events, secret, ${column}) VALUES ($1, $2, '{}', 'x', now() - $3::interval)`,
      [id, url, ago],
    )
    return id
  }
  beforeAll(() => start())
  afterEach(() => query('DELETE FROM webhooks'))

  test('one that has failed for an hour or returned 410 causes a warning that names only its host and ID', async () => {
    await insert('https://brief.example/', 'failing_since', '10 minutes')
    expect((await look())![0]).toBe('ok')
    const failing = await insert('https://down.example/hook?key=secret', 'failing_since', '2 hours')
    const ended = await insert('https://down.example/secret', 'ended_at', '1 day')
    const [status, message, receivers] = (await look())!
    expect(status).toBe('warn')
    const start = `down.example (${failing}) fails, down.example (${ended}) returned 410: `
    expect(message.slice(0, start.length)).toBe(start)
    expect(receivers).toEqual({
      total: 2,
      first: [
        { webhookId: failing, host: 'down.example', ended: false },
        { webhookId: ended, host: 'down.example', ended: true },
      ],
    })
  })

  test('of more than three, the first are named and the others are counted', async () => {
    for (const name of ['a', 'b', 'c']) await insert(`https://${name}.example/`, 'ended_at', '1 day')
    expect(await look()).toMatchObject(['warn', expect.not.stringContaining('more'), { total: 3 }])
    for (const name of ['d', 'e']) await insert(`https://${name}.example/`, 'ended_at', '1 day')
    const [, message, receivers] = (await look())!
    expect(message).toContain('returned 410, 2 more: see')
    expect(receivers).toMatchObject({ total: 5, first: { length: 3 } })
  })
})

describe('a gateway whose clock is wrong', () => {
  test.each([
    [30, 'warn'],
    [-90, 'FAIL'],
  ])('by %i s: %s', async (seconds, status) => {
    await start()
    const gateway = createHttpServer((_request, response) => {
      response.writeHead(404, { date: new Date(Date.now() + seconds * 1000).toUTCString() }).end()
    }).listen(0)
    const endpoint = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    const { apns, fcm } = loadConfig(environment()).pushApps.get('default')!
    const found = await findingsOf((report) =>
      checkGatewayClocks(
        {
          pushApps: new Map([
            [
              'default',
              { apns: { ...apns!, endpoint, sandboxEndpoint: endpoint }, fcm: { ...fcm!, endpoint } },
            ],
          ]),
        },
        report,
      ),
    )
    gateway.close()
    const direction = seconds > 0 ? 'ahead of' : 'behind'
    const wanted = [status, expect.stringMatching(`^its clock is \\d\\d s ${direction} this machine`)]
    expect(found).toEqual({
      'apns-production-clock': wanted,
      'apns-sandbox-clock': wanted,
      'fcm-clock': wanted,
    })
  })
})

describe('the warnings of npm start', () => {
  async function warnings(more: Record<string, string> = {}) {
    const warned: [string, string][] = []
    const config = loadConfig({ ...environment(), ...NO_GATEWAYS, ...more })
    await warnOfFaults(config, {
      warn: ({ check }: { check: string }, message: string) => warned.push([check, message]),
    } as never)
    return warned
  }

  test('are empty if doctor finds nothing, and the checks write nothing', async () => {
    await start()
    expect(await warnings()).toEqual([])
    const methods = emulators.s3.requestLog.entries().map(({ method }) => method)
    expect(new Set(methods)).toEqual(new Set(['GET', 'OPTIONS']))
  })

  test('include a missing bucket, an origin that cannot upload and a database without tables, one warning each', async () => {
    await start('aws', ['https://other.example.com'])
    const empty = await createTestDatabase({ empty: true })
    const warned = await warnings({ DATABASE_URL: empty.url })
    await empty.drop()
    expect(warned.map(([check]) => check).sort()).toEqual(['database-migrations', 'store-cors'])
    expect(warned[0]![1]).toMatch(/^npm run doctor would fail: .*npm run/)
    expect((await warnings({ S3_BUCKET: 'nowhere' })).map(([check]) => check)).toEqual(['store-bucket'])
  })

  test('include an unreachable token issuer', async () => {
    await start()
    const away = { AUTH_JWT_ISSUER: 'http://127.0.0.1:9', AUTH_JWT_AUDIENCE: 'files' }
    const checks = (await warnings(away)).map(([check]) => check)
    expect(checks.filter((check) => check.startsWith('issuer-'))).toEqual(['issuer-keys', 'issuer-clock'])
  })
})

describe('the token issuer', () => {
  const found = (issuer: string) =>
    findingsOf((report) =>
      checkIssuer(
        { externalIssuer: { issuer, audience: 'files', jwksUrl: undefined, provision: true } },
        report,
      ),
    )

  test('publishes keys, and its clock agrees', async () => {
    const issuer = await startOidc({ clients: [], audience: 'files' })
    expect(await found(issuer.issuer)).toEqual({
      'issuer-keys': ['ok', 'public keys found: 1'],
      'issuer-clock': ['ok', 'the clocks agree'],
    })
    issuer.faults.status = 404
    expect((await found(issuer.issuer))['issuer-keys']).toEqual([
      'FAIL',
      expect.stringMatching(/openid-configuration answered 404/),
    ])
    await issuer.close()
  })

  test('causes a FAIL if it is unreachable', async () => {
    const { 'issuer-keys': keys, 'issuer-clock': clock } = await found('http://127.0.0.1:9')
    expect([keys![0], clock![0]]).toEqual(['FAIL', 'FAIL'])
  })
})

test('gateways without configuration cause a warning', async () => {
  await start()
  const { statuses } = await doctor(NO_GATEWAYS)
  expect(statuses).toMatchObject({ apns: 'warn', fcm: 'warn', 'web-push': 'warn' })
})

test('a public endpoint that only browsers can reach causes a warning, and does not prevent the start', async () => {
  await start()
  const closed = createServer().listen(0)
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const config = loadConfig({ ...environment(), S3_PUBLIC_ENDPOINT: `http://127.0.0.1:${port}` })
  const found = await findingsOf((report) => checkObjectStore(config, report))
  expect(Object.entries(found).map(([check, [status]]) => [check, status])).toEqual([
    ['store-bucket', 'ok'],
    ['store-public-endpoint', 'warn'],
  ])
})

test('without --json, each finding is one line; an unsafe store makes the command exit with 1', async () => {
  await start('swift')
  const { code, out } = await commandHere('doctor', [], environment())
  expect(code).toBe(1)
  expect(out).toMatch(/^ok {4}database-migrations: all \d+ applied$/m)
  expect(out).toMatch(/^warn {2}store-lifecycle: none/m)
  expect(out).toMatch(/^FAIL {2}store-part-numbers: /m)
})

test('the mail server: connection and sign-in are checked, and no email is sent', async () => {
  await start()
  const mailbox = await startMailbox({ users: { files: 'secret' } })
  const url = (password: string) => `smtp://files:${password}@127.0.0.1:${mailbox.port}`
  const mail = (password: string) => ({ SMTP_URL: url(password), MAIL_FROM: 'files@example.com' })
  const look = (more: Record<string, string>) =>
    findingsOf((report) => checkSmtp(loadConfig({ ...environment(), ...more }), report))
  try {
    const good = await doctor(mail('secret'))
    expect(good.statuses).toMatchObject({ smtp: 'ok', 'smtp-from': 'ok' })
    const wrong = await look(mail('hidden-password'))
    expect(wrong.smtp).toEqual([
      'FAIL',
      expect.stringMatching(/535.*check the user and password in SMTP_URL$/),
    ])
    expect(JSON.stringify(wrong)).not.toContain('hidden-password')
    expect(mailbox.emails).toEqual([])
  } finally {
    await mailbox.close()
  }
  const away = await look(mail('secret'))
  expect(away.smtp).toEqual(['FAIL', expect.stringMatching(/ECONNREFUSED.*check SMTP_URL/)])
  const open = await look({ ALLOW_SIGNUP: 'true' })
  expect(open.smtp).toEqual(['warn', expect.stringContaining('new users upload without a verified email')])
})
