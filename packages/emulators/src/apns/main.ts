/**
 * `node packages/emulators/src/apns/main.ts '{"port":4443,"dir":".data/apns"}'`, or the same JSON in `APNS_EMULATOR`.
 * Makes certificate and signing key in `dir` unless they are there, and prints one line of JSON.
 */
import { z } from 'zod'
import { settingsInput } from '../kit/control-input.ts'
import { runAsProcess } from '../kit/process.ts'
import { ensureTls } from '../tls.ts'
import { startApns } from './server.ts'
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
  fast: z.boolean().optional(),
})

await runAsProcess('APNS_EMULATOR', shape, async ({ dir, ...options }) => {
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
      pid: process.pid,
    },
    close: apns.close,
  }
})
