import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type ApnsEmulator, startApns } from './apns/emulator.ts'
import { ensureSigningKey } from './apns/signing-key.ts'
import { writeFcmCredentials } from './fcm/credentials.ts'
import { type FcmEmulator, startFcm } from './fcm/emulator.ts'
import type { Dialect } from './s3/dialects.ts'
import { type S3Emulator, startS3 } from './s3/emulator.ts'
import type { Credential } from './s3/types.ts'
import { ensureTls } from './tls.ts'
import { startWebPush, type WebPushEmulator } from './webpush/emulator.ts'
import { ensureServerKeys } from './webpush/server-keys.ts'

export type EmulatorsOptions = {
  /** Folder for certificates, keys and the store's objects. */
  dir: string
  s3: { accessKeyId: string; secretAccessKey: string; dialect?: Dialect }
  /** Origins whose pages can PUT to the store. */
  corsOrigins: string[]
  /** Fixed ports. Default: free ports. */
  ports?: { s3: number; apns: number; apnsSandbox: number; fcm: number; webPush: number }
}

export type Emulators = {
  s3: S3Emulator
  apns: ApnsEmulator
  apnsSandbox: ApnsEmulator
  fcm: FcmEmulator
  webPush: WebPushEmulator
  /** Environment variables that point the app to the emulators: the same variables as for the real services. */
  env: Record<string, string>
  close(): Promise<void>
}

const BUCKET = 'pigeonhole'
const REGION = 'us-east-1'
const TEAM_ID = 'LOCALTEAM1'
const KEY_ID = 'LOCALKEY01'
const TOPIC = 'com.example.pigeonhole'
const PROJECT_ID = 'pigeonhole-local'

/**
 * Starts everything on loopback that the app connects to, except PostgreSQL. Starts nothing if one of them fails.
 * @throws Error with the code EADDRINUSE if a port is taken
 */
export async function startEmulators({
  dir,
  s3: keys,
  corsOrigins,
  ports,
}: EmulatorsOptions): Promise<Emulators> {
  const tls = await ensureTls(join(dir, 'tls'))
  const signingKey = await ensureSigningKey(join(dir, 'apns'), KEY_ID)
  const apnsOptions = {
    tls,
    teamId: TEAM_ID,
    keyId: KEY_ID,
    publicKey: signingKey.publicKey,
    topics: [TOPIC],
  }
  // Can sign presigned PUTs, but not read.
  const uploadKeys: Credential = {
    accessKeyId: `${keys.accessKeyId}UPLOAD`,
    secretAccessKey: createHash('sha256').update(keys.secretAccessKey).digest('base64url'),
    access: 'write',
  }
  const started: { close(): Promise<unknown> }[] = []
  const closeAll = () => Promise.all(started.map((one) => one.close()))
  const start = async <T extends { close(): Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const emulator = await starting.catch(async (error) => {
      await closeAll()
      throw error
    })
    started.push(emulator)
    return emulator
  }
  const s3 = await start(
    startS3({
      dir: join(dir, 's3'),
      port: ports?.s3,
      region: REGION,
      ...keys,
      additionalCredentials: [uploadKeys],
      buckets: [BUCKET],
      corsOrigins,
    }),
  )
  const apns = await start(startApns({ ...apnsOptions, environment: 'production', port: ports?.apns }))
  const apnsSandbox = await start(
    startApns({ ...apnsOptions, environment: 'sandbox', port: ports?.apnsSandbox }),
  )
  const fcm = await start(startFcm({ tls, projectId: PROJECT_ID, port: ports?.fcm }))
  const credentialsFile = join(dir, 'fcm', 'credentials.json')
  await writeFcmCredentials(credentialsFile, fcm.credentials)
  const webPush = await start(startWebPush({ tls, port: ports?.webPush }))
  const serverKeys = await ensureServerKeys(join(dir, 'webpush'))

  return {
    s3,
    apns,
    apnsSandbox,
    fcm,
    webPush,
    env: {
      NODE_EXTRA_CA_CERTS: tls.caFile,
      S3_BUCKET: BUCKET,
      S3_REGION: REGION,
      S3_ENDPOINT: s3.url,
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
      S3_UPLOAD_ACCESS_KEY_ID: uploadKeys.accessKeyId,
      S3_UPLOAD_SECRET_ACCESS_KEY: uploadKeys.secretAccessKey,
      APNS_TEAM_ID: TEAM_ID,
      APNS_KEY_ID: KEY_ID,
      APNS_PRIVATE_KEY: signingKey.privateKey,
      APNS_TOPIC: TOPIC,
      APNS_ENDPOINT: apns.url,
      APNS_SANDBOX_ENDPOINT: apnsSandbox.url,
      FIREBASE_PROJECT_ID: PROJECT_ID,
      GOOGLE_APPLICATION_CREDENTIALS: credentialsFile,
      FCM_ENDPOINT: fcm.url,
      WEB_PUSH_PUBLIC_KEY: serverKeys.publicKey,
      WEB_PUSH_PRIVATE_KEY: serverKeys.privateKey,
      WEB_PUSH_SUBJECT: 'mailto:local@pigeonhole.invalid',
      WEB_PUSH_HOSTS: new URL(webPush.url).host,
      WEB_PUSH_ALLOW_PRIVATE: 'true',
    },
    async close() {
      await closeAll()
    },
  }
}
