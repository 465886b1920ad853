import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../src/server/config/config.ts'
import { createVapidKeys } from '../../src/server/kernel/vapid-keys.ts'

const complete = {
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:5432/db',
  NEXTAUTH_URL: 'https://files.example.com/',
  NEXTAUTH_SECRET: 's'.repeat(32),
  PUSH_TOKEN_ADMIN_SECRET: 'a'.repeat(32),
  S3_BUCKET: 'bucket',
  S3_REGION: 'eu-central-1',
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

const pkcs8 = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const

describe('the environment', () => {
  test('has the documented defaults', () => {
    const config = loadConfig(complete)
    expect(config.uploads).toEqual({
      defaultQuotaBytes: 524_288_000,
      pendingTtlSeconds: 3600,
      multipartTtlSeconds: 604_800,
      maxOpenUploads: 1000,
      maxParts: 10_000,
      maxCopyBytes: 1_073_741_824,
      contentCheck: 'lenient',
      policies: new Map(),
      verifiedOnly: false,
    })
    expect(config.mail).toBeUndefined()
    expect(config.push.sendsPerMinute).toBe(600)
    expect(config.signInFailuresPer15Min).toBe(10)
    expect(config.allowSignUp).toBe(false)
    expect(config.port).toBe(3000)
    expect([...config.pushApps]).toEqual([['default', { apns: undefined, fcm: undefined }]])
    expect(config.baseUrl).toBe('https://files.example.com')
    expect(config.metricsTokens).toEqual([complete.PUSH_TOKEN_ADMIN_SECRET])
  })

  test.each([
    ['https://files.example.com', 0],
    ['http://localhost:3000', 0],
    ['http://files.example.com', 1],
    ['https://192.0.2.1', 1],
    ['https://[2001:db8::1]', 1],
  ])(
    'ADMIN_REQUIRE_PASSKEY at %s: %i fault, because browsers offer passkeys on https hosts',
    (url, faults) => {
      const env = { ...complete, NEXTAUTH_URL: url, ADMIN_REQUIRE_PASSKEY: 'true' }
      expect(faultsOf(env).filter((fault) => fault.startsWith('ADMIN_REQUIRE_PASSKEY'))).toHaveLength(faults)
    },
  )

  test.each(['p@ss/word', 'p@ss#word', 'p@ss?word', 'p/ss', 'p#ss', 'p?ss', 'p@/ss'])(
    'a database password %s that is not percent-encoded is named, and not shown',
    (password) => {
      const [fault, ...more] = faultsOf({ ...complete, DATABASE_URL: `postgresql://u:${password}@db:5432/x` })
      expect(more).toEqual([])
      expect(fault).toMatch(/^DATABASE_URL must be a URL like .* percent-encoded: @ as %40/)
      expect(fault).not.toContain(password)
    },
  )

  test.each([
    'postgresql://u:p%40ss%2Fword@db:5432/x',
    // Node's parser ends the password at the last @ before the path, so these URLs have always worked.
    'postgresql://u:p@ss@db:5432/x',
    'postgresql://u:p@db/x?application_name=a@b',
    'postgres://db/x',
    'postgresql://u:p@a:5432,b:5433/x?target_session_attrs=read-write',
    'postgresql://u:p,w@a,[::1]:5433,c/x',
  ])('the database URL %s is accepted', (url) => {
    expect(faultsOf({ ...complete, DATABASE_URL: url })).toEqual([])
  })

  test('when empty, names every required variable on a separate line', () => {
    const faults = faultsOf({})
    expect(faults).toHaveLength(Object.keys(complete).length)
    for (const name of Object.keys(complete))
      expect(faults.filter((f) => f.startsWith(`${name} is missing`))).toHaveLength(1)
  })

  test('mail needs a server and a sender, each well formed', () => {
    const mail = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Files <files@example.com>' }
    expect(loadConfig({ ...complete, ...mail })).toMatchObject({
      mail: { host: 'mail.example.com', from: { name: 'Files', address: 'files@example.com' } },
      uploads: { verifiedOnly: true },
    })
    expect(faultsOf({ ...complete, SMTP_URL: mail.SMTP_URL })).toEqual([
      'MAIL_FROM is missing: set all or none of SMTP_URL, MAIL_FROM',
    ])
    const faults = faultsOf({ ...complete, SMTP_URL: 'mail.example.com:587', MAIL_FROM: 'files' })
    expect(faults.map((fault) => fault.slice(0, 28))).toEqual([
      'SMTP_URL must be a URL like ',
      'MAIL_FROM must be an address',
    ])
  })

  test('treats an empty variable as missing', () => {
    expect(faultsOf({ ...complete, S3_BUCKET: ' ' })).toEqual(['S3_BUCKET is missing'])
    expect(loadConfig({ ...complete, S3_ENDPOINT: '' }).s3.endpoint).toBeUndefined()
  })

  test.each([
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgresql://u:p@a,b/x?target_session_attrs=standby'],
    ['DATABASE_URL', 'postgresql://u:p@a:x,b/x'],
    ['NEXTAUTH_URL', 'files.example.com'],
    ['NEXTAUTH_URL', 'https://example.com/files'],
    ['NEXTAUTH_SECRET', 'x'],
    ['NEXTAUTH_SECRET', 's'.repeat(31)],
    ['NEXTAUTH_SECRET_PREVIOUS', 's'.repeat(31)],
    ['PUSH_TOKEN_ADMIN_SECRET', 'a'.repeat(31)],
    ['PUSH_TOKEN_ADMIN_SECRET_PREVIOUS', 'a'.repeat(31)],
    ['METRICS_TOKEN', 'a'],
    ['METRICS_TOKEN', 'm'.repeat(15)],
    ['S3_ENDPOINT', 'localhost:9000'],
    ['S3_FORCE_PATH_STYLE', 'yes'],
    ['DEFAULT_STORAGE_QUOTA_BYTES', '500MB'],
    ['UPLOAD_PENDING_TTL_SECONDS', '0'],
    ['UPLOAD_PENDING_TTL_SECONDS', '9007199254740991'],
    ['MULTIPART_TTL_SECONDS', '9007199254740991'],
    ['S3_REGION', 'eu west'],
    ['PUSH_TOKEN_ADMIN_SECRET', 'with spaces '.repeat(4)],
    ['METRICS_TOKEN', 'a token of several words'],
    ['TRUST_PROXY', '-1'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['LOG_LEVEL', 'loud'],
    ['PORT', '70000'],
    ['LISTEN_HOST', 'localhost'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/no/such/file'],
  ])('rejects a malformed %s with one line that names it', (name, value) => {
    const faults = faultsOf({ ...complete, [name]: value })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(new RegExp(`^${name} `))
    if (value.length > 3) expect(faults[0]).not.toContain(value)
  })

  test.each([
    [{ APNS_TEAM_ID: 'T' }, ['APNS_KEY_ID', 'APNS_PRIVATE_KEY', 'APNS_TOPIC']],
    [{ S3_ACCESS_KEY_ID: 'k' }, ['S3_SECRET_ACCESS_KEY']],
    [{ GITHUB_ID: 'g' }, ['GITHUB_SECRET']],
    [{ OIDC_ISSUER: 'https://id.example.com' }, ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
    [{ FIREBASE_PROJECT_ID: 'p' }, ['FIREBASE_CLIENT_EMAIL']],
  ])('rejects an incomplete group: %j', (extra, missing) => {
    expect(
      faultsOf({ ...complete, ...(extra as Record<string, string>) }).map((f) => f.split(' ')[0]),
    ).toEqual(missing)
  })

  test.each(['AUTH_JWT_ISSUER', 'AUTH_JWT_JWKS_URL'])('%s must be https, or http on loopback', (name) => {
    const env = { ...complete, AUTH_JWT_ISSUER: 'https://id.example.com', AUTH_JWT_AUDIENCE: 'files' }
    expect(faultsOf({ ...env, [name]: 'http://127.0.0.1:4000' })).toEqual([])
    expect(faultsOf({ ...env, [name]: 'http://id.example.com' })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be an https URL`)),
    ])
  })

  test('accepts an APNs key on one line, and rejects a key of the wrong kind', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256', ...pkcs8 }).privateKey
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048, ...pkcs8 }).privateKey
    const apns = { APNS_TEAM_ID: 'T', APNS_KEY_ID: 'K', APNS_TOPIC: 'com.example' }
    const config = loadConfig({ ...complete, ...apns, APNS_PRIVATE_KEY: ec.replaceAll('\n', '\\n') })
    expect(config.pushApps.get('default')?.apns?.privateKey).toBe(ec.trim())
    expect(faultsOf({ ...complete, ...apns, APNS_PRIVATE_KEY: rsa })[0]).toMatch(
      /^APNS_PRIVATE_KEY must be the EC private key/,
    )
  })

  test('allows plain http with a warning', () => {
    const config = loadConfig({ ...complete, NEXTAUTH_URL: 'http://localhost:3000' })
    expect(config.warnings.join('\n')).toContain('NEXTAUTH_URL is plain http')
  })

  test('warns that ?schema= is ignored, unless it names the schema in use', () => {
    const warnings = (query: string) =>
      loadConfig({ ...complete, DATABASE_URL: complete.DATABASE_URL + query }).warnings.join('\n')
    expect(warnings('?sslmode=disable&schema=alt')).toMatch(
      /^DATABASE_URL has \?schema=.*use another database$/m,
    )
    for (const query of ['', '?sslmode=disable', '?schema=public'])
      expect(warnings(query)).not.toContain('DATABASE_URL')
  })

  test('.env.example lists every variable', () => {
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    const source = readFileSync(
      new URL('../../src/server/config/environment-variables.ts', import.meta.url),
      'utf8',
    )
    const names = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((m) => m[1])
    expect(names.length).toBeGreaterThan(35)
    expect([...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map((m) => m[1]).sort()).toEqual(
      [...names].sort(),
    )
  })
})

describe('web push', () => {
  const { publicKey, privateKey } = createVapidKeys()
  const webPush = {
    ...complete,
    WEB_PUSH_PUBLIC_KEY: publicKey,
    WEB_PUSH_PRIVATE_KEY: privateKey,
    WEB_PUSH_SUBJECT: 'mailto:ops@example.com',
  }

  test('accepts keys that belong together, and additional hosts', () => {
    const hosts = 'push.example.com, Push.Example.net:8443'
    expect(loadConfig({ ...webPush, WEB_PUSH_HOSTS: hosts }).webPush).toEqual({
      keys: { publicKey, privateKey, subject: 'mailto:ops@example.com' },
      hosts: ['push.example.com', 'push.example.net:8443'],
      allowPrivate: false,
    })
  })

  test.each([
    [{ WEB_PUSH_PUBLIC_KEY: createVapidKeys().publicKey }, /^WEB_PUSH_PRIVATE_KEY does not belong to/],
    [{ WEB_PUSH_PUBLIC_KEY: 'abc' }, /^WEB_PUSH_PUBLIC_KEY must be the public key/],
    [{ WEB_PUSH_PRIVATE_KEY: publicKey }, /^WEB_PUSH_PRIVATE_KEY must be the private key/],
    [{ WEB_PUSH_PRIVATE_KEY: '' }, /^WEB_PUSH_PRIVATE_KEY is missing/],
    [{ WEB_PUSH_SUBJECT: '' }, /^WEB_PUSH_SUBJECT is missing/],
    [{ WEB_PUSH_SUBJECT: 'ops@example.com' }, /^WEB_PUSH_SUBJECT must be/],
    [{ WEB_PUSH_HOSTS: 'https://push.example.com' }, /^WEB_PUSH_HOSTS must be/],
    [{ WEB_PUSH_HOSTS: 'push.example.com/path' }, /^WEB_PUSH_HOSTS must be/],
  ])('%o is rejected', (change, fault) => {
    expect(faultsOf({ ...webPush, ...change })).toEqual([expect.stringMatching(fault)])
  })
})
