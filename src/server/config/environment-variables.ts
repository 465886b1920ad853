import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { MIB, POLICY_MAX_BYTES } from '@pigeonhole/client/limits'
import { z } from 'zod'
import { parsePolicies } from '../domain/uploads/policies.ts'
import { urlPerHost } from '../kernel/database-hosts.ts'
import { isIssuerUrl } from '../kernel/loopback.ts'
import { credentialsFile, ecKey, rsaKey } from './gateway-credentials.ts'
import { parseMailFrom, parseSmtpUrl } from './mail-server.ts'
import { parsePushApps } from './push-apps.ts'

/** A whole number of bytes, seconds and so on. */
const count = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)

/** Longer lifetimes are probably typing errors, and could exceed the range of dates. */
const TEN_YEARS_SECONDS = 315_360_000

/** A secret that can be sent as `Authorization: Bearer ...`. */
const bearerSecret = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII characters without spaces')

/** Requires 32 characters, the length of 128 bits in hex: anyone who guesses the secret can open every session. */
const longSecret = (secret: z.ZodString) =>
  secret.min(32, 'must have at least 32 characters, for example from: openssl rand -base64 48')

const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .transform((v) => v === 'true' || v === '1')

const url = (protocols: string[], example: string) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be a URL like ${example}`,
    )

const DATABASE_PROTOCOL = /^postgres(ql)?:\/\//

/**
 * A password such as `p@ss/word` ends the host name early, and the driver then looks up the host `ss`. What follows the
 * host name must therefore contain no `@`.
 */
const databaseUrl = z.string().transform((v, context) => {
  const urls = urlPerHost(v).map((url) => URL.parse(url))
  const example = 'postgresql://user:password@host:5432/database'
  const isWhole = urls.every((url) => {
    const rest = url && url.pathname + url.hash + (url.pathname === '' ? url.search : '')
    return rest !== null && !rest.includes('@')
  })
  const session = urls[0]?.searchParams.get('target_session_attrs') ?? 'read-write'
  if (urls.length > 1 && !/^(read-write|primary)$/.test(session)) {
    context.addIssue('with several hosts needs target_session_attrs=read-write')
    return z.NEVER
  }
  if (DATABASE_PROTOCOL.test(v) && isWhole) return v
  const isCut = DATABASE_PROTOCOL.test(v) && v.includes('@')
  context.addIssue(
    isCut
      ? `must be a URL like ${example}, with special characters in the user and password percent-encoded: @ as %40, / as %2F, # as %23, ? as %3F`
      : `must be a URL like ${example}`,
  )
  return z.NEVER
})

const httpUrl = url(['http:', 'https:'], 'https://example.com').transform((v) => v.replace(/\/+$/, ''))

/** JSON file with settings that the operator has named. `parse` also gets the path. */
const settingsFile = <T>(
  many: string,
  parse: (text: string, path: string) => { entries: T; faults: string[] },
) =>
  z.string().transform((path, context) => {
    let text = '{}'
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      context.addIssue(`must name a readable JSON file with ${many}`)
    }
    const { entries, faults } = parse(text, path)
    for (const fault of faults) context.addIssue(fault)
    return entries
  })

/** Drops the path /api/auth, which next-auth's documentation appends to the URL. */
const siteUrl = httpUrl
  .refine(
    (v) => ['', '/api/auth'].includes(new URL(v).pathname.replace(/\/$/, '')),
    'must have no path, like https://files.example.com',
  )
  .transform((v) => new URL(v).origin)

/** Kept unchanged, because tokens must name exactly this issuer, including a final slash. */
const issuerUrl = z
  .string()
  .refine(isIssuerUrl, 'must be an https URL like https://id.example.com, or http on loopback')

const commaSeparated = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)

const origins = commaSeparated.refine(
  (list) => list.every((origin) => URL.parse(origin)?.origin === origin),
  'must be origins separated by commas, like https://app.example.com',
)

const webPushKey = (bytes: number, what: string) =>
  z
    .string()
    .refine(
      (v) => /^[\w-]+$/.test(v) && Buffer.from(v, 'base64url').length === bytes,
      `must be ${what} that npm run web-push:keys printed (base64url of ${bytes} bytes)`,
    )

/** Hosts as in https URLs, with the port if it is not 443. */
const hosts = commaSeparated
  .transform((list) => list.map((host) => host.toLowerCase()))
  .refine(
    (list) => list.every((host) => URL.parse(`https://${host}`)?.host === host),
    'must be hosts separated by commas, like push.example.com,push.example.net:8443',
  )

const parsed = <T>(parse: (text: string) => T | null, message: string) =>
  z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== null) return value
    context.addIssue(message)
    return z.NEVER
  })

const smtpUrl = parsed(
  parseSmtpUrl,
  'must be a URL like smtp://user:password@smtp.example.com:587 or smtps://smtp.example.com, with special characters in the user and password percent-encoded',
)

const mailFrom = parsed(
  parseMailFrom,
  'must be an address like files@example.com or Files <files@example.com>',
)

/** Schema of every environment variable, with its default. */
export const variables = z.object({
  DATABASE_URL: databaseUrl,
  NEXTAUTH_URL: siteUrl,
  NEXTAUTH_SECRET: longSecret(z.string()),
  NEXTAUTH_SECRET_PREVIOUS: longSecret(z.string()).optional(),
  PUSH_TOKEN_ADMIN_SECRET: longSecret(bearerSecret),
  PUSH_TOKEN_ADMIN_SECRET_PREVIOUS: longSecret(bearerSecret).optional(),
  METRICS_TOKEN: bearerSecret
    .min(16, 'must have at least 16 characters, for example from: openssl rand -base64 24')
    .optional(),
  S3_BUCKET: z.string().regex(/^[\w.-]+$/, 'must be the name of a bucket'),
  S3_REGION: z.string().regex(/^[a-z\d](-?[a-z\d])*$/i, 'must be a region like eu-central-1'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_UPLOAD_ACCESS_KEY_ID: z.string().optional(),
  S3_UPLOAD_SECRET_ACCESS_KEY: z.string().optional(),
  // At least 256, because the upload engine splits files into up to 256 parts.
  S3_MAX_PARTS: count(256, 10_000).default(10_000),
  // At least the smallest part, at most the largest file.
  S3_MAX_COPY_BYTES: count(5 * MIB, POLICY_MAX_BYTES).default(1024 * MIB),
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_PUBLIC_URL: httpUrl.optional(),
  APNS_TEAM_ID: z.string().optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_PRIVATE_KEY: ecKey().optional(),
  APNS_TOPIC: z.string().optional(),
  APNS_ENDPOINT: httpUrl.default('https://api.push.apple.com'),
  APNS_SANDBOX_ENDPOINT: httpUrl.default('https://api.sandbox.push.apple.com'),
  FIREBASE_PROJECT_ID: z.string().optional(),
  FIREBASE_CLIENT_EMAIL: z.string().optional(),
  FIREBASE_PRIVATE_KEY: rsaKey.optional(),
  GOOGLE_APPLICATION_CREDENTIALS: credentialsFile.optional(),
  FCM_ENDPOINT: httpUrl.default('https://fcm.googleapis.com'),
  PUSH_APPS_FILE: settingsFile('apps', parsePushApps).optional(),
  WEB_PUSH_PUBLIC_KEY: webPushKey(65, 'the public key').optional(),
  WEB_PUSH_PRIVATE_KEY: webPushKey(32, 'the private key').optional(),
  WEB_PUSH_SUBJECT: z
    .string()
    .refine(
      (v) => /^mailto:[^\s@]+@[^\s@]+$/.test(v) || (v.startsWith('https://') && URL.canParse(v)),
      'must be a contact for push services, like mailto:ops@example.com or https://example.com/contact',
    )
    .optional(),
  WEB_PUSH_HOSTS: hosts.default([]),
  WEB_PUSH_ALLOW_PRIVATE: flag.default(false),
  DEFAULT_STORAGE_QUOTA_BYTES: count(0).default(524_288_000),
  TOTAL_STORAGE_BYTES: count(1).optional(),
  UPLOAD_PENDING_TTL_SECONDS: count(1, TEN_YEARS_SECONDS).default(3600),
  MULTIPART_TTL_SECONDS: count(1, TEN_YEARS_SECONDS).default(604_800),
  MAX_OPEN_UPLOADS: count(1, 1_000_000).default(1000),
  UPLOAD_POLICIES_FILE: settingsFile('upload policies', parsePolicies).optional(),
  UPLOAD_CONTENT_CHECK: z.enum(['lenient', 'strict']).default('lenient'),
  PUSH_SEND_RATE_PER_MINUTE: count(1).default(600),
  SIGNIN_FAILURES_PER_15_MIN: count(1).default(10),
  API_RATE_PER_MINUTE: count(1).default(6000),
  TRUST_PROXY: count(0, 100).default(0),
  ALLOW_SIGNUP: flag.default(false),
  ADMIN_REQUIRE_PASSKEY: flag.default(false),
  GITHUB_ID: z.string().optional(),
  GITHUB_SECRET: z.string().optional(),
  GOOGLE_ID: z.string().optional(),
  GOOGLE_SECRET: z.string().optional(),
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailFrom.optional(),
  WEBHOOKS_ALLOW_PRIVATE: flag.default(false),
  AUTH_JWT_ISSUER: issuerUrl.optional(),
  AUTH_JWT_AUDIENCE: z.string().optional(),
  AUTH_JWT_JWKS_URL: issuerUrl.optional(),
  AUTH_JWT_PROVISION: flag.default(true),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  PORT: count(0, 65_535).default(3000),
  LISTEN_HOST: z
    .string()
    .refine((v) => isIP(v) !== 0, 'must be an IP address, such as 127.0.0.1')
    .optional(),
  // OpenTelemetry's variables. The SDK reads them too; here they decide whether it is loaded.
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
})

export type Variables = z.infer<typeof variables>

/** Variables that must be set together. */
export const GROUPS: (keyof Variables)[][] = [
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_UPLOAD_ACCESS_KEY_ID', 'S3_UPLOAD_SECRET_ACCESS_KEY'],
  ['APNS_TEAM_ID', 'APNS_KEY_ID', 'APNS_PRIVATE_KEY', 'APNS_TOPIC'],
  ['FIREBASE_CLIENT_EMAIL', 'FIREBASE_PRIVATE_KEY'],
  ['WEB_PUSH_PUBLIC_KEY', 'WEB_PUSH_PRIVATE_KEY', 'WEB_PUSH_SUBJECT'],
  ['GITHUB_ID', 'GITHUB_SECRET'],
  ['GOOGLE_ID', 'GOOGLE_SECRET'],
  ['AUTH_JWT_ISSUER', 'AUTH_JWT_AUDIENCE'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
]
