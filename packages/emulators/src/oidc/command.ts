import { z } from 'zod'
import type { Command, RunningCommand } from '../run-command.ts'
import { startOidc } from './emulator.ts'

const shape = z.strictObject({
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  clients: z.array(
    z.strictObject({
      clientId: z.string(),
      clientSecret: z.string().optional(),
      redirectUris: z.array(z.url()),
    }),
  ),
  users: z
    .array(
      z.strictObject({
        sub: z.string(),
        email: z.string().optional(),
        email_verified: z.boolean().optional(),
        name: z.string().optional(),
      }),
    )
    .optional(),
  audience: z.string(),
  lifetimeSeconds: z.number().positive().optional(),
  algorithm: z.enum(['RS256', 'ES256']).optional(),
})

export const oidcCommand: Command<z.infer<typeof shape>> = { shape, start }

async function start(options: z.infer<typeof shape>): Promise<RunningCommand> {
  const { issuer, port, close } = await startOidc(options)
  return { addresses: { issuer, port }, close }
}
