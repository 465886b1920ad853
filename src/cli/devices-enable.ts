// npm run devices:enable -- --since TIME [--reason R]: enables devices that were disabled because of a mistake in our
// configuration. Needs only DATABASE_URL.

import { parseArgs } from 'node:util'
import { formatCount } from '@pigeonhole/client/format'
import { z } from 'zod'
import { createDb } from '../server/adapters/postgres/db.ts'
import { LONG } from '../server/adapters/postgres/pool.ts'
import { enableDevices } from '../server/adapters/postgres/push/devices/enable-devices.ts'
import { loadDatabaseUrl } from '../server/config/config.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run devices:enable -- --since TIME [--reason R]

Enables devices that gateways' responses have disabled, and prints how many there were.

  --since   enables devices disabled at this time or later: ISO 8601 with an offset, such as 2026-11-22T09:30:00Z
  --reason  enables only devices disabled for this gateway reason, such as BadDeviceToken`

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
    console.log(`${formatCount(enabled, 'device')} enabled`)
  } finally {
    await db.close()
  }
}

await runCommand({ name: 'devices:enable', usage: USAGE, main })
