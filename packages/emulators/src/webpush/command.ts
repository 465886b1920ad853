import { z } from 'zod'
import { settingsInput } from '../gateway/control-input.ts'
import type { Command, RunningCommand } from '../run-command.ts'
import { ensureTls } from '../tls.ts'
import { startWebPush } from './emulator.ts'
import { PATH } from './validate.ts'

const shape = z.strictObject({
  dir: z.string().default('.data/webpush'),
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  controlPort: z.int().default(0),
  strictDevices: z.boolean().optional(),
  keepPayloads: z.boolean().optional(),
  settings: settingsInput.optional(),
  seed: z.int().optional(),
  benchmark: z.boolean().optional(),
})

export const webPushCommand: Command<z.infer<typeof shape>> = { shape, start }

/** Creates a certificate in `dir` if missing, and starts the emulator. */
async function start({ dir, ...options }: z.infer<typeof shape>): Promise<RunningCommand> {
  const tls = await ensureTls(dir)
  const webPush = await startWebPush({ ...options, tls })
  return {
    addresses: {
      url: webPush.url,
      port: webPush.port,
      endpoints: `${webPush.url}${PATH}`,
      controlUrl: webPush.control?.url,
      caFile: tls.caFile,
    },
    close: webPush.close,
  }
}
