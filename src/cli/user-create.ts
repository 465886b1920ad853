// npm run user:create: creates or changes a user. Needs only DATABASE_URL.

import { parseArgs } from 'node:util'
import { z } from 'zod'
import { saveUser } from '../server/adapters/postgres/accounts/save-user.ts'
import { createDb } from '../server/adapters/postgres/db.ts'
import { loadDatabaseUrl } from '../server/config/config.ts'
import { createPasswords } from '../server/domain/accounts/password.ts'
import { emailSchema, newPasswordSchema } from '../server/domain/accounts/schema.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `usage: npm run user:create -- --email E [--password P] [--quota BYTES] [--admin | --no-admin]
         [--remove-passkeys]

Creates a user, or changes the user who has this email. The last printed line is { "id", "email" }.

  --email     email of the user
  --password  12 to 128 characters; required to create a user; a new password ends all sessions of the user
  --quota     storage quota in bytes, or "default" for DEFAULT_STORAGE_QUOTA_BYTES
  --admin     makes the user an administrator; --no-admin reverses it
  --remove-passkeys  deletes lost passkeys and recovery codes, and ends all sessions`

const argumentsSchema = z.object({
  email: z.string({ error: 'is missing' }).pipe(emailSchema),
  password: newPasswordSchema.optional(),
  quota: z
    .string()
    .regex(/^(\d{1,15}|default)$/, 'must be a whole number of bytes, or "default"')
    .transform((v) => (v === 'default' ? null : Number(v)))
    .optional(),
  admin: z.boolean().optional(),
  'remove-passkeys': z.literal(true, { error: 'cannot be negated' }).optional(),
})

function readArguments(argv: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: argv,
    options: {
      email: text,
      password: text,
      quota: text,
      admin: { type: 'boolean' },
      'remove-passkeys': { type: 'boolean' },
    },
    allowNegative: true,
  })
  const parsed = argumentsSchema.safeParse(values)
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map((i) => `--${i.path.join('.')} ${i.message}`).join('\n'))
}

async function main(argv: string[]): Promise<void> {
  const { email, password, quota, admin, 'remove-passkeys': removePasskeys } = readArguments(argv)
  const role = admin === undefined ? undefined : admin ? 'admin' : 'user'
  const databaseUrl = loadDatabaseUrl()
  const passwordHash = password === undefined ? undefined : await createPasswords().hash(password)
  const db = createDb(databaseUrl, 1)
  try {
    const user = await saveUser(db, { email, passwordHash, quotaBytes: quota, role, removePasskeys })
    if (user === 'missing')
      throw new UsageError(`User ${email} not found. To create the user, add --password.`)
    if (user === 'unverified')
      throw new UsageError(
        `${email} signed up but is not verified, so someone else may own the account. To take it over as an administrator, add --password.`,
      )
    console.log(JSON.stringify({ id: user.id, email: user.email }))
  } finally {
    await db.close()
  }
}

await runCommand({ name: 'user:create', usage: USAGE, main })
