// npm run user:create -- --email E [--password P] [--quota BYTES] [--admin]: creates a user, or changes the password,
// quota or role of the one with this email. Needs DATABASE_URL only. The last line is { "id", "email" }.

import { parseArgs } from 'node:util'
import { z } from 'zod'
import { createPasswords } from '../server/auth/password.ts'
import { emailSchema, newPasswordSchema } from '../server/auth/schema.ts'
import { loadDatabaseUrl } from '../server/config.ts'
import { createDb } from '../server/data/postgres/db.ts'
import { saveUser } from '../server/data/users/save-user.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run user:create -- --email E [--password P] [--quota BYTES] [--admin | --no-admin]

  --email     the user to create, or to change if it exists
  --password  12 to 128 characters; required to create a user; a new one ends all sessions of the user
  --quota     bytes the user may store, or "default" for DEFAULT_STORAGE_QUOTA_BYTES
  --admin     the user's sessions may use the admin API; --no-admin takes that away`

const argumentsSchema = z.object({
  email: z.string({ error: 'is missing' }).pipe(emailSchema),
  password: newPasswordSchema.optional(),
  quota: z
    .string()
    .regex(/^(\d{1,15}|default)$/, 'must be a whole number of bytes, or "default"')
    .transform((v) => (v === 'default' ? null : BigInt(v)))
    .optional(),
  admin: z.boolean().optional(),
})

function readArguments(argv: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: argv,
    options: { email: text, password: text, quota: text, admin: { type: 'boolean' } },
    allowNegative: true,
  })
  const parsed = argumentsSchema.safeParse(values)
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map((i) => `--${i.path.join('.')} ${i.message}`).join('\n'))
}

async function main(argv: string[]): Promise<void> {
  const { email, password, quota, admin } = readArguments(argv)
  const role = admin === undefined ? undefined : admin ? 'admin' : 'user'
  const databaseUrl = loadDatabaseUrl()
  const passwordHash = password === undefined ? undefined : await createPasswords().hash(password)
  const db = createDb(databaseUrl, 1)
  try {
    const user = await saveUser(db, { email, passwordHash, quotaBytes: quota, role })
    if (user === 'missing')
      throw new UsageError(`There is no user ${email}. To create it, give --password too.`)
    if (user === 'unproven')
      throw new UsageError(
        `Somebody signed up as ${email} and nobody has proven to own it. To make it yours and an admin, give --password too.`,
      )
    console.log(JSON.stringify({ id: user.id, email: user.email }))
  } finally {
    await db.close()
  }
}

await runCommand({ name: 'user:create', usage: USAGE, main })
