import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** A whole number of bytes, seconds or pieces in an environment variable. */
const count = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)

/** Later expiries are a slip of the keyboard, and soon no dates any more. */
const TEN_YEARS_SECONDS = 315_360_000

/** What can be sent as `Authorization: Bearer ...`. */
const bearerSecret = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII characters without spaces')

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

const httpUrl = url(['http:', 'https:'], 'https://example.com').transform((v) => v.replace(/\/+$/, ''))

/** PEM as it is, or in one line with `\n` written out, as most secret stores keep it. */
const pem = z.string().transform((v) => v.replace(/\\n/g, '\n').trim())

const ecKey = pem.refine(
  (v) => keyType(v) === 'ec',
  'must be the EC private key (PEM) that Apple gave you as .p8',
)
const rsaKey = pem.refine(
  (v) => keyType(v) === 'rsa',
  'must be the RSA private key (PEM) of the service account',
)

const jsonFile = z.string().refine((path) => {
  try {
    JSON.parse(readFileSync(path, 'utf8'))
    return true
  } catch {
    return false
  }
}, 'must name a readable JSON credentials file')

/** next-auth documents the path of its routes as part of the URL; ours are always at /api/auth. */
const siteUrl = httpUrl
  .refine(
    (v) => ['', '/api/auth'].includes(new URL(v).pathname.replace(/\/$/, '')),
    'must have no path, like https://files.example.com',
  )
  .transform((v) => new URL(v).origin)

const origins = z
  .string()
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter(Boolean),
  )
  .refine((list) => list.every((o) => URL.canParse(o) && new URL(o).origin === o), {
    error: 'must be origins separated by commas, like https://app.example.com',
  })

const variables = z.object({
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database'),
  NEXTAUTH_URL: siteUrl,
  NEXTAUTH_SECRET: z.string(),
  PUSH_TOKEN_ADMIN_SECRET: bearerSecret.min(32, 'must have at least 32 characters'),
  METRICS_TOKEN: bearerSecret.optional(),
  S3_BUCKET: z.string().regex(/^[\w.-]+$/, 'must be the name of a bucket'),
  S3_REGION: z.string().regex(/^[a-z\d](-?[a-z\d])*$/i, 'must be a region like eu-central-1'),
  S3_ENDPOINT: httpUrl.optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PUBLIC_ENDPOINT: httpUrl.optional(),
  S3_PUBLIC_URL: httpUrl.optional(),
  APNS_TEAM_ID: z.string().optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_PRIVATE_KEY: ecKey.optional(),
  APNS_TOPIC: z.string().optional(),
  APNS_ENDPOINT: httpUrl.default('https://api.push.apple.com'),
  APNS_SANDBOX_ENDPOINT: httpUrl.default('https://api.sandbox.push.apple.com'),
  FIREBASE_PROJECT_ID: z.string().optional(),
  FIREBASE_CLIENT_EMAIL: z.string().optional(),
  FIREBASE_PRIVATE_KEY: rsaKey.optional(),
  GOOGLE_APPLICATION_CREDENTIALS: jsonFile.optional(),
  FCM_ENDPOINT: httpUrl.default('https://fcm.googleapis.com'),
  DEFAULT_STORAGE_QUOTA_BYTES: count(0).default(524_288_000),
  UPLOAD_PENDING_TTL_SECONDS: count(1, TEN_YEARS_SECONDS).default(3600),
  MULTIPART_TTL_SECONDS: count(1, TEN_YEARS_SECONDS).default(604_800),
  PUSH_SEND_RATE_PER_MINUTE: count(1).default(600),
  SIGNIN_FAILURES_PER_15_MIN: count(1).default(10),
  TRUST_PROXY: count(0, 100).default(0),
  ALLOW_SIGNUP: flag.default(false),
  GITHUB_ID: z.string().optional(),
  GITHUB_SECRET: z.string().optional(),
  GOOGLE_ID: z.string().optional(),
  GOOGLE_SECRET: z.string().optional(),
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  PORT: count(0, 65_535).default(3000),
})

type Variables = z.infer<typeof variables>
type Name = keyof Variables

/** Either all of a group is set or none of it. */
const GROUPS: Name[][] = [
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['APNS_TEAM_ID', 'APNS_KEY_ID', 'APNS_PRIVATE_KEY', 'APNS_TOPIC'],
  ['FIREBASE_CLIENT_EMAIL', 'FIREBASE_PRIVATE_KEY'],
  ['GITHUB_ID', 'GITHUB_SECRET'],
  ['GOOGLE_ID', 'GOOGLE_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
]

export class ConfigError extends Error {
  /** One line per fault; each names its variable. */
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The environment is not complete:\n${faults.map((f) => `  ${f}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export type Config = ReturnType<typeof shape>

/**
 * Reads and checks the whole environment. An empty variable counts as not set.
 * @throws ConfigError with one line per fault
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, v]) => v !== undefined && v.trim() !== ''))
  const parsed = variables.safeParse(set)
  const faults = parsed.success ? [] : parsed.error.issues.map((i) => `${i.path.join('.')} ${wording(i)}`)
  for (const group of GROUPS) {
    const missing = group.filter((name) => set[name] === undefined)
    if (missing.length > 0 && missing.length < group.length)
      for (const name of missing) faults.push(`${name} is missing (${group.join(', ')} go together)`)
  }
  if (
    set.FIREBASE_PROJECT_ID &&
    !set.FIREBASE_CLIENT_EMAIL &&
    !set.FIREBASE_PRIVATE_KEY &&
    !set.GOOGLE_APPLICATION_CREDENTIALS
  )
    faults.push(
      'FIREBASE_CLIENT_EMAIL is missing (with FIREBASE_PROJECT_ID set, give it and FIREBASE_PRIVATE_KEY, or GOOGLE_APPLICATION_CREDENTIALS)',
    )
  if (!set.FIREBASE_PROJECT_ID && set.FIREBASE_CLIENT_EMAIL)
    faults.push('FIREBASE_PROJECT_ID is missing (FIREBASE_CLIENT_EMAIL is set)')
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  return shape(parsed.data)
}

/**
 * For commands that need nothing but the database; says on stderr what else should be known.
 * @throws ConfigError
 */
export function loadDatabaseUrl(env: Record<string, string | undefined> = process.env): string {
  const parsed = variables.shape.DATABASE_URL.safeParse(env.DATABASE_URL?.trim() || undefined)
  if (!parsed.success) throw new ConfigError([`DATABASE_URL ${wording(parsed.error.issues[0]!)}`])
  for (const warning of schemaWarnings(parsed.data)) console.error(warning)
  return parsed.data
}

/** `?schema=` of Prisma's former URLs, which neither the driver nor the migrations read. */
function schemaWarnings(databaseUrl: string): string[] {
  const schema = URL.parse(databaseUrl)?.searchParams.get('schema') ?? 'public'
  if (schema === 'public') return []
  return [
    'DATABASE_URL has ?schema=, which is ignored: the tables are in the schema "public". To keep them apart from others, use a database of its own',
  ]
}

function shape(v: Variables) {
  return Object.freeze({
    databaseUrl: v.DATABASE_URL,
    baseUrl: v.NEXTAUTH_URL,
    sessionSecret: v.NEXTAUTH_SECRET,
    adminSecret: v.PUSH_TOKEN_ADMIN_SECRET,
    metricsToken: v.METRICS_TOKEN ?? v.PUSH_TOKEN_ADMIN_SECRET,
    port: v.PORT,
    logLevel: v.LOG_LEVEL,
    corsOrigins: v.CORS_ORIGINS,
    trustedProxies: v.TRUST_PROXY,
    allowSignUp: v.ALLOW_SIGNUP,
    signInFailuresPer15Min: v.SIGNIN_FAILURES_PER_15_MIN,
    s3: {
      bucket: v.S3_BUCKET,
      region: v.S3_REGION,
      endpoint: v.S3_ENDPOINT,
      /** What presigned URLs carry. */
      publicEndpoint: v.S3_PUBLIC_ENDPOINT ?? v.S3_ENDPOINT,
      /** Base of public file URLs; without it files stay private. */
      publicUrl: v.S3_PUBLIC_URL,
      forcePathStyle: v.S3_FORCE_PATH_STYLE,
      credentials:
        v.S3_ACCESS_KEY_ID && v.S3_SECRET_ACCESS_KEY
          ? { accessKeyId: v.S3_ACCESS_KEY_ID, secretAccessKey: v.S3_SECRET_ACCESS_KEY }
          : undefined,
    },
    uploads: {
      defaultQuotaBytes: v.DEFAULT_STORAGE_QUOTA_BYTES,
      pendingTtlSeconds: v.UPLOAD_PENDING_TTL_SECONDS,
      multipartTtlSeconds: v.MULTIPART_TTL_SECONDS,
    },
    push: { sendsPerMinute: v.PUSH_SEND_RATE_PER_MINUTE },
    apns:
      v.APNS_TEAM_ID && v.APNS_KEY_ID && v.APNS_PRIVATE_KEY && v.APNS_TOPIC
        ? {
            teamId: v.APNS_TEAM_ID,
            keyId: v.APNS_KEY_ID,
            privateKey: v.APNS_PRIVATE_KEY,
            topic: v.APNS_TOPIC,
            endpoint: v.APNS_ENDPOINT,
            sandboxEndpoint: v.APNS_SANDBOX_ENDPOINT,
          }
        : undefined,
    fcm: v.FIREBASE_PROJECT_ID
      ? {
          projectId: v.FIREBASE_PROJECT_ID,
          endpoint: v.FCM_ENDPOINT,
          /** Used where there is no service account. */
          credentialsFile: v.GOOGLE_APPLICATION_CREDENTIALS,
          serviceAccount:
            v.FIREBASE_CLIENT_EMAIL && v.FIREBASE_PRIVATE_KEY
              ? { clientEmail: v.FIREBASE_CLIENT_EMAIL, privateKey: v.FIREBASE_PRIVATE_KEY }
              : undefined,
        }
      : undefined,
    providers: {
      github: pair(v.GITHUB_ID, v.GITHUB_SECRET),
      google: pair(v.GOOGLE_ID, v.GOOGLE_SECRET),
      oidc: v.OIDC_ISSUER
        ? { issuer: v.OIDC_ISSUER, ...pair(v.OIDC_CLIENT_ID, v.OIDC_CLIENT_SECRET)! }
        : undefined,
    },
    warnings: warnings(v),
  })
}

/** What is allowed but should be known; logged once at start. */
function warnings(v: Variables): string[] {
  const list = schemaWarnings(v.DATABASE_URL)
  if (v.NEXTAUTH_URL.startsWith('http:')) list.push('NEXTAUTH_URL is plain http: sessions travel unencrypted')
  if (v.NEXTAUTH_SECRET.length < 32) list.push('NEXTAUTH_SECRET is shorter than 32 characters')
  if (!v.APNS_TEAM_ID) list.push('APNS_* is not set: pushes to iOS fail with GATEWAY_NOT_CONFIGURED')
  if (!v.FIREBASE_PROJECT_ID)
    list.push('FIREBASE_PROJECT_ID is not set: pushes to Android fail with GATEWAY_NOT_CONFIGURED')
  return list
}

function pair(clientId: string | undefined, clientSecret: string | undefined) {
  return clientId && clientSecret ? { clientId, clientSecret } : undefined
}

function keyType(text: string): string | undefined {
  try {
    return createPrivateKey(text).asymmetricKeyType
  } catch {
    return undefined
  }
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return issue.message
}
