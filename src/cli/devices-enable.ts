// npm run devices:enable -- --since TIME [--reason R]: enables devices again that gateways' answers disabled since
// then, after a mistake in our configuration. Needs DATABASE_URL only. Prints how many.

import { parseArgs } from 'node:util'
import { z } from 'zod'
import { loadDatabaseUrl } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { LONG } from '../server/data/postgres/pool.ts'
import { enableDevices } from '../server/data/push/enable-devices.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run devices:enable -- --since TIME [--reason R]

  --since   enable what was disabled at this time or later: ISO 8601 with an offset, such as 2026-11-22T09:30:00Z
  --reason  only what was disabled for this reason of the gateway, such as BadDeviceToken`

const argumentsSchema = z.object({
  since: z
    .string({ error: 'is missing' })
    .pipe(
      z.iso.datetime({ offset: true, error: 'must be a time with an offset, such as 2026-11-22T09:30:00Z' }),
    )
    .transform((text) => new Date(text)),
  reason: z.string().min(1, 'must not be empty').optional(),
})

function readArguments(argv: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: argv, options: { since: text, reason: text } })
  const parsed = argumentsSchema.safeParse(values)
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map((i) => `--${i.path.join('.')} ${i.message}`).join('\n'))
}

async function main(argv: string[]): Promise<void> {
  const { since, reason } = readArguments(argv)
  const db = createDb(loadDatabaseUrl(), 1, LONG)
  try {
    const enabled = await enableDevices(db, since, reason)
    console.log(`${enabled} ${enabled === 1 ? 'device' : 'devices'} enabled`)
  } finally {
    await db.close()
  }
}

await runCommand({ name: 'devices:enable', usage: USAGE, main })
