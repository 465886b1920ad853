import { z } from 'zod'
import type { Command, RunningCommand } from '../run-command.ts'
import { startControlServer } from './control-server.ts'
import { DIALECTS } from './dialects.ts'
import { startS3 } from './emulator.ts'

const shape = z.strictObject({
  dir: z.string().default('.data/s3'),
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  controlPort: z.int().default(0),
  region: z.string().default('us-east-1'),
  accessKeyId: z.string().default('pigeonhole'),
  secretAccessKey: z.string().default('pigeonhole-secret'),
  buckets: z.array(z.string()).default(['pigeonhole']),
  dialect: z.enum(DIALECTS).default('aws'),
  additionalCredentials: z
    .array(
      z.strictObject({
        accessKeyId: z.string(),
        secretAccessKey: z.string(),
        sessionToken: z.string().optional(),
      }),
    )
    .optional(),
  corsOrigins: z.array(z.string()).optional(),
  virtualHosts: z.array(z.string()).optional(),
  fsync: z.boolean().optional(),
})

export const s3Command: Command<z.infer<typeof shape>> = { shape, start }

async function start({ controlPort, ...options }: z.infer<typeof shape>): Promise<RunningCommand> {
  const emulator = await startS3(options)
  const control = await startControlServer(emulator, controlPort, options.host)
  return {
    addresses: { url: emulator.url, port: emulator.port, controlUrl: control.url },
    async close() {
      await control.close()
      await emulator.close()
    },
  }
}
