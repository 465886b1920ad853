import { join } from 'node:path'
import { z } from 'zod'
import { settingsInput } from '../gateway/control-input.ts'
import type { Command, RunningCommand } from '../run-command.ts'
import { ensureTls } from '../tls.ts'
import { writeFcmCredentials } from './credentials.ts'
import { startFcm } from './emulator.ts'

const shape = z.strictObject({
  dir: z.string().default('.data/fcm'),
  /** If false, plain HTTP. */
  tls: z.boolean().default(true),
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  controlPort: z.int().default(0),
  tokenPort: z.int().optional(),
  projectId: z.string().default('pigeonhole-local'),
  otherProjects: z.array(z.string()).optional(),
  validAccessTokens: z.array(z.string()).optional(),
  accessTokenLifetimeSeconds: z.number().positive().optional(),
  serviceAccounts: z.array(z.strictObject({ clientEmail: z.string(), publicKey: z.string() })).optional(),
  subjectToken: z.string().optional(),
  unknownProject: z.enum(['NOT_FOUND', 'PERMISSION_DENIED']).optional(),
  strictDevices: z.boolean().optional(),
  strictTokens: z.boolean().optional(),
  keepPayloads: z.boolean().optional(),
  settings: settingsInput.optional(),
  seed: z.int().optional(),
  benchmark: z.boolean().optional(),
})

export const fcmCommand: Command<z.infer<typeof shape>> = { shape, start }

/** Creates certificate and credentials file in `dir`, and starts the emulator. */
async function start({ dir, tls: withTls, ...options }: z.infer<typeof shape>): Promise<RunningCommand> {
  const tls = withTls ? await ensureTls(dir) : undefined
  const fcm = await startFcm({ ...options, tls })
  const credentialsFile = join(dir, 'credentials.json')
  await writeFcmCredentials(credentialsFile, fcm.credentials)
  return {
    addresses: {
      url: fcm.url,
      port: fcm.port,
      controlUrl: fcm.control?.url,
      tokenUrl: fcm.tokenEndpoint.url,
      caFile: tls?.caFile,
      credentialsFile,
      projectId: options.projectId,
    },
    close: fcm.close,
  }
}
