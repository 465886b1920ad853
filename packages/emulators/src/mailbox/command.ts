import { z } from 'zod'
import type { Command, RunningCommand } from '../run-command.ts'
import { startMailbox } from './emulator.ts'
import { startMailboxPage } from './page-server.ts'

const shape = z.strictObject({
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  /** Port of the web page. */
  pagePort: z.int().default(0),
  users: z.record(z.string(), z.string()).optional(),
  maxBytes: z.int().positive().optional(),
})

export const mailboxCommand: Command<z.infer<typeof shape>> = { shape, start }

async function start({ pagePort, ...options }: z.infer<typeof shape>): Promise<RunningCommand> {
  const mailbox = await startMailbox(options)
  const page = await startMailboxPage(mailbox, pagePort)
  return {
    addresses: { url: mailbox.url, port: mailbox.port, pageUrl: page.url },
    async close() {
      await page.close()
      await mailbox.close()
    },
  }
}
