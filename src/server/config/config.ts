import { isIP } from 'node:net'
import type { z } from 'zod'
import { DEFAULT_APP } from '../domain/push/devices/app-name.ts'
import { conflictsOf } from '../domain/uploads/policies.ts'
import { urlPerHost } from '../kernel/database-hosts.ts'
import { isVapidPair } from '../kernel/vapid-keys.ts'
import { GROUPS, type Variables, variables } from './environment-variables.ts'
import { incompleteApps } from './push-apps.ts'

/** Error for an incomplete or malformed environment. */
export class ConfigError extends Error {
  /** One line per missing or malformed variable, starting with its name. */
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The environment is incomplete or malformed:\n${faults.map((f) => `  ${f}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export type Config = ReturnType<typeof toConfig>

/** Settings of an app's gateways; undefined without one. */
export type PushApp = { apns: ReturnType<typeof apnsOf>; fcm: ReturnType<typeof fcmOf> }

/**
 * Reads and validates the whole environment. An empty variable counts as missing.
 * @throws ConfigError with one line per missing or malformed variable
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, v]) => v !== undefined && v.trim() !== ''))
  const parsed = variables.safeParse(set)
  const faults = (parsed.error?.issues ?? []).map((i) => `${i.path.join('.')} ${describeIssue(i)}`)
  for (const group of GROUPS) {
    const missing = group.filter((name) => set[name] === undefined)
    if (missing.length > 0 && missing.length < group.length)
      for (const name of missing) faults.push(`${name} is missing: set all or none of ${group.join(', ')}`)
  }
  const hasFcmCredentials =
    set.FIREBASE_CLIENT_EMAIL || set.FIREBASE_PRIVATE_KEY || set.GOOGLE_APPLICATION_CREDENTIALS
  if (set.FIREBASE_PROJECT_ID && !hasFcmCredentials)
    faults.push(
      'FIREBASE_CLIENT_EMAIL is missing: with FIREBASE_PROJECT_ID, set it and FIREBASE_PRIVATE_KEY, or set GOOGLE_APPLICATION_CREDENTIALS',
    )
  if (!set.FIREBASE_PROJECT_ID && set.FIREBASE_CLIENT_EMAIL)
    faults.push('FIREBASE_PROJECT_ID is missing: FIREBASE_CLIENT_EMAIL needs it')
  const { WEB_PUSH_PUBLIC_KEY: publicKey, WEB_PUSH_PRIVATE_KEY: privateKey } = parsed.data ?? {}
  if (publicKey && privateKey && !isVapidPair(publicKey, privateKey))
    faults.push(
      'WEB_PUSH_PRIVATE_KEY does not belong to WEB_PUSH_PUBLIC_KEY: create a pair with npm run web-push:keys',
    )
  if (!set.AUTH_JWT_ISSUER && !set.AUTH_JWT_AUDIENCE && set.AUTH_JWT_JWKS_URL)
    faults.push('AUTH_JWT_ISSUER is missing: AUTH_JWT_JWKS_URL needs it')
  const {
    UPLOAD_POLICIES_FILE: policies,
    S3_MAX_PARTS: maxParts,
    S3_PUBLIC_URL: publicUrl,
  } = parsed.data ?? {}
  if (policies && maxParts)
    faults.push(
      ...conflictsOf(policies, { maxParts, publicUrl }).map((fault) => `UPLOAD_POLICIES_FILE ${fault}`),
    )
  if (parsed.data?.PUSH_APPS_FILE)
    faults.push(
      ...incompleteApps(parsed.data.PUSH_APPS_FILE, set.APNS_TEAM_ID !== undefined).map(
        (fault) => `PUSH_APPS_FILE ${fault}`,
      ),
    )
  if (parsed.data?.ADMIN_REQUIRE_PASSKEY && !canHavePasskeys(parsed.data.NEXTAUTH_URL))
    faults.push(
      'ADMIN_REQUIRE_PASSKEY needs a NEXTAUTH_URL with https and a host name: browsers offer no passkeys on other sites',
    )
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  return toConfig(parsed.data)
}

/**
 * Reads DATABASE_URL, for commands that need only the database. Prints warnings to stderr.
 * @throws ConfigError
 */
export function loadDatabaseUrl(env: Record<string, string | undefined> = process.env): string {
  const parsed = variables.shape.DATABASE_URL.safeParse(env.DATABASE_URL?.trim() || undefined)
  if (!parsed.success) throw new ConfigError([`DATABASE_URL ${describeIssue(parsed.error.issues[0]!)}`])
  for (const warning of schemaWarnings(parsed.data)) console.error(warning)
  return parsed.data
}

/** Warns about `?schema=`, which Prisma used to read, but neither the driver nor the migrations do. */
function schemaWarnings(databaseUrl: string): string[] {
  const schema = URL.parse(urlPerHost(databaseUrl)[0]!)?.searchParams.get('schema') ?? 'public'
  if (schema === 'public') return []
  return [
    'DATABASE_URL has ?schema=, which is ignored: the tables are in the schema "public". To separate them from other tables, use another database',
  ]
}

function toConfig(v: Variables) {
  const adminSecrets = both(v.PUSH_TOKEN_ADMIN_SECRET, v.PUSH_TOKEN_ADMIN_SECRET_PREVIOUS)
  return Object.freeze({
    databaseUrl: v.DATABASE_URL,
    baseUrl: v.NEXTAUTH_URL,
    /** Encrypts new session tokens. */
    sessionSecret: v.NEXTAUTH_SECRET,
    /** Secrets of accepted session tokens: two during a rotation. */
    sessionSecrets: both(v.NEXTAUTH_SECRET, v.NEXTAUTH_SECRET_PREVIOUS),
    adminSecrets,
    metricsTokens: v.METRICS_TOKEN ? [v.METRICS_TOKEN] : adminSecrets,
    port: v.PORT,
    /** Undefined: all addresses of this machine. */
    listenHost: v.LISTEN_HOST,
    logLevel: v.LOG_LEVEL,
    corsOrigins: v.CORS_ORIGINS,
    tracing: isTracing(v),
    trustedProxies: v.TRUST_PROXY,
    allowSignUp: v.ALLOW_SIGNUP,
    adminRequirePasskey: v.ADMIN_REQUIRE_PASSKEY,
    signInFailuresPer15Min: v.SIGNIN_FAILURES_PER_15_MIN,
    apiCallsPerMinute: v.API_RATE_PER_MINUTE,
    s3: {
      bucket: v.S3_BUCKET,
      region: v.S3_REGION,
      endpoint: v.S3_ENDPOINT,
      /** Endpoint in presigned URLs. */
      publicEndpoint: v.S3_PUBLIC_ENDPOINT ?? v.S3_ENDPOINT,
      /** Base of public file URLs. Without it, files are private. */
      publicUrl: v.S3_PUBLIC_URL,
      forcePathStyle: v.S3_FORCE_PATH_STYLE,
      credentials: allOf({
        accessKeyId: v.S3_ACCESS_KEY_ID,
        secretAccessKey: v.S3_SECRET_ACCESS_KEY,
      }),
      uploadCredentials: allOf({
        accessKeyId: v.S3_UPLOAD_ACCESS_KEY_ID,
        secretAccessKey: v.S3_UPLOAD_SECRET_ACCESS_KEY,
      }),
    },
    /** Limit for the files of all users together; undefined if there is none. */
    totalStorageBytes: v.TOTAL_STORAGE_BYTES,
    uploads: {
      defaultQuotaBytes: v.DEFAULT_STORAGE_QUOTA_BYTES,
      pendingTtlSeconds: v.UPLOAD_PENDING_TTL_SECONDS,
      multipartTtlSeconds: v.MULTIPART_TTL_SECONDS,
      maxOpenUploads: v.MAX_OPEN_UPLOADS,
      maxParts: v.S3_MAX_PARTS,
      maxCopyBytes: v.S3_MAX_COPY_BYTES,
      contentCheck: v.UPLOAD_CONTENT_CHECK,
      policies: v.UPLOAD_POLICIES_FILE ?? new Map(),
      verifiedOnly: v.SMTP_URL !== undefined,
    },
    /** Mail server and sender; undefined if no email is sent. */
    mail: v.SMTP_URL && v.MAIL_FROM ? { ...v.SMTP_URL, from: v.MAIL_FROM } : undefined,
    push: { sendsPerMinute: v.PUSH_SEND_RATE_PER_MINUTE },
    /** True if webhooks can have plain http and private addresses. */
    webhooks: { allowPrivate: v.WEBHOOKS_ALLOW_PRIVATE },
    pushApps: pushAppsOf(v),
    webPush: {
      keys: allOf({
        publicKey: v.WEB_PUSH_PUBLIC_KEY,
        privateKey: v.WEB_PUSH_PRIVATE_KEY,
        subject: v.WEB_PUSH_SUBJECT,
      }),
      /** Accepted push services besides those of the browsers. */
      hosts: v.WEB_PUSH_HOSTS,
      /** True if those hosts can have private addresses. */
      allowPrivate: v.WEB_PUSH_ALLOW_PRIVATE,
    },
    providers: {
      github: allOf({ clientId: v.GITHUB_ID, clientSecret: v.GITHUB_SECRET }),
      google: allOf({ clientId: v.GOOGLE_ID, clientSecret: v.GOOGLE_SECRET }),
      oidc: allOf({ issuer: v.OIDC_ISSUER, clientId: v.OIDC_CLIENT_ID, clientSecret: v.OIDC_CLIENT_SECRET }),
    },
    /** Issuer whose JWTs are accepted; undefined if there is none. */
    externalIssuer:
      v.AUTH_JWT_ISSUER && v.AUTH_JWT_AUDIENCE
        ? {
            issuer: v.AUTH_JWT_ISSUER,
            audience: v.AUTH_JWT_AUDIENCE,
            jwksUrl: v.AUTH_JWT_JWKS_URL,
            provision: v.AUTH_JWT_PROVISION,
          }
        : undefined,
    warnings: warnings(v),
  })
}

/** Returns the settings of the app `default`, then those of PUSH_APPS_FILE. */
function pushAppsOf(v: Variables): ReadonlyMap<string, PushApp> {
  const given = [...(v.PUSH_APPS_FILE ?? [])].map(([name, { apns, fcm }]): [string, PushApp] => [
    name,
    {
      apns: apns && apnsOf(v, apns),
      fcm: fcm && { ...fcm, endpoint: v.FCM_ENDPOINT, serviceAccount: undefined },
    },
  ])
  return new Map([[DEFAULT_APP, { apns: apnsOf(v, { topic: v.APNS_TOPIC }), fcm: fcmOf(v) }], ...given])
}

type ApnsSettings = { topic: string | undefined; teamId?: string; keyId?: string; privateKey?: string }

/** The variables replace omitted settings. */
function apnsOf(v: Variables, { topic, teamId, keyId, privateKey }: ApnsSettings) {
  return allOf({
    teamId: teamId ?? v.APNS_TEAM_ID,
    keyId: keyId ?? v.APNS_KEY_ID,
    privateKey: privateKey ?? v.APNS_PRIVATE_KEY,
    topic,
    endpoint: v.APNS_ENDPOINT,
    sandboxEndpoint: v.APNS_SANDBOX_ENDPOINT,
  })
}

function fcmOf(v: Variables) {
  if (!v.FIREBASE_PROJECT_ID) return undefined
  return {
    projectId: v.FIREBASE_PROJECT_ID,
    endpoint: v.FCM_ENDPOINT,
    /** Used without a service account. */
    credentialsFile: v.GOOGLE_APPLICATION_CREDENTIALS,
    serviceAccount: allOf({ clientEmail: v.FIREBASE_CLIENT_EMAIL, privateKey: v.FIREBASE_PRIVATE_KEY }),
  }
}

/** Follows OpenTelemetry's rules. Without an endpoint, the SDK uses http://localhost:4318. */
function isTracing(v: Variables): boolean {
  if (v.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || v.OTEL_TRACES_EXPORTER === 'none') return false
  const endpoint = v.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? v.OTEL_EXPORTER_OTLP_ENDPOINT
  return v.OTEL_TRACES_EXPORTER === 'otlp' || endpoint !== undefined
}

/** Browsers offer passkeys on https and localhost, and never for an IP address. */
function canHavePasskeys(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return (protocol === 'https:' && !isAddress) || hostname === 'localhost'
}

/** Returns warnings about risky or incomplete settings. The server logs them at startup. */
function warnings(v: Variables): string[] {
  const list = schemaWarnings(v.DATABASE_URL)
  if (v.NEXTAUTH_URL.startsWith('http:'))
    list.push('NEXTAUTH_URL is plain http: sessions are sent unencrypted. Use https in production.')
  if (v.WEBHOOKS_ALLOW_PRIVATE)
    list.push('WEBHOOKS_ALLOW_PRIVATE is set: administrators can reach this network with webhooks')
  if (!v.APNS_TEAM_ID) list.push('APNS_* is not set: pushes to iOS fail with GATEWAY_NOT_CONFIGURED')
  if (!v.FIREBASE_PROJECT_ID)
    list.push('FIREBASE_PROJECT_ID is not set: pushes to Android fail with GATEWAY_NOT_CONFIGURED')
  if (isTracing(v) && v.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc')
    list.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: traces are sent as http/json. Use the HTTP port of the collector (4318)',
    )
  if (!v.WEB_PUSH_PUBLIC_KEY)
    list.push('WEB_PUSH_* is not set: pushes to browsers fail with GATEWAY_NOT_CONFIGURED')
  return list
}

function both(secret: string, previous: string | undefined): readonly string[] {
  return previous === undefined ? [secret] : [secret, previous]
}

/** Returns the values, or undefined if one is missing: such variables are set together or not at all. */
function allOf<T extends object>(values: T): { [Name in keyof T]: NonNullable<T[Name]> } | undefined {
  const isComplete = Object.values(values).every((value) => value !== undefined)
  return isComplete ? (values as { [Name in keyof T]: NonNullable<T[Name]> }) : undefined
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return issue.message
}
