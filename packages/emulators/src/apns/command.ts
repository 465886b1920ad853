import { z } from 'zod'
import { settingsInput } from '../gateway/control-input.ts'
import type { Command, RunningCommand } from '../run-command.ts'
import { ensureTls } from '../tls.ts'
import { startApns } from './emulator.ts'
import { ensureSigningKey } from './signing-key.ts'

const shape = z.strictObject({
  dir: z.string().default('.data/apns'),
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  controlPort: z.int().default(0),
  teamId: z.string().default('TEAM123456'),
  keyId: z.string().default('KEY1234567'),
  topics: z.array(z.string()).min(1).default(['com.example.pigeonhole']),
  environment: z.enum(['production', 'sandbox']).default('production'),
  strictDevices: z.boolean().optional(),
  tokenUpdatesPer: z.enum(['connection', 'key']).optional(),
  keepPayloads: z.boolean().optional(),
  settings: settingsInput.optional(),
  seed: z.int().optional(),
  benchmark: z.boolean().optional(),
})

export const apnsCommand: Command<z.infer<typeof shape>> = { shape, start }

/** Creates certificate and signing key in `dir` if missing, and starts the emulator. */
async function start({ dir, ...options }: z.infer<typeof shape>): Promise<RunningCommand> {
  const tls = await ensureTls(dir)
  const key = await ensureSigningKey(dir, options.keyId)
  const apns = await startApns({ ...options, tls, publicKey: key.publicKey })
  return {
    addresses: {
      url: apns.url,
      port: apns.port,
      controlUrl: apns.control?.url,
      caFile: tls.caFile,
      keyFile: key.file,
      teamId: options.teamId,
      keyId: options.keyId,
      topics: options.topics,
      environment: options.environment,
    },
    close: apns.close,
  }
}
