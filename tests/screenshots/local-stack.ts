import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import type { Secrets } from '../../src/cli/local/secrets.ts'
import { randomPorts } from '../support/random-ports.ts'
import { createSession, createUser, type TestUser } from '../support/users.ts'

export type LocalStack = {
  url: string
  phonesUrl: string
  mailboxUrl: string
  databaseUrl: string
  adminSecret: string
  /** Push token of the demo user, who is an administrator and has the virtual phones. */
  pushToken: string
  demoUser(): Promise<TestUser>
  /** Creates a user with a verified email. */
  newUser(options?: Parameters<typeof createUser>[1]): Promise<TestUser>
  query(sql: string, values?: unknown[]): Promise<unknown>
  close(): Promise<void>
}

/** Starts `npm run local` with a temporary data folder and reads URLs and credentials from its output. */
export async function startLocalStack(): Promise<LocalStack> {
  const data = mkdtempSync(join(tmpdir(), 'pigeonhole-screenshot-'))
  // Its stack also uses the ports after it. Two runs at once rarely choose the same ones.
  const [port] = await randomPorts(1)
  const child = spawn(process.execPath, ['src/cli/local.ts', '--data', data], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('Ctrl-C stops everything')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`npm run local ended with ${code}:\n${text}`)))
  })
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(text)?.[1]
    if (!found) throw new Error(`npm run local did not print ${pattern}:\n${text}`)
    return found
  }
  const databaseUrl = find(/PostgreSQL +(\S+)/)
  const { sessionSecret } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as Secrets
  const target = { config: { databaseUrl, sessionSecret } }
  const database = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  // The command stops after the database.
  database.on('error', () => {})
  return {
    url: find(/App +(http\S+)/),
    phonesUrl: find(/Phones +(http\S+)/),
    mailboxUrl: find(/Mailbox +(http\S+)/),
    databaseUrl,
    adminSecret: find(/Admin secret +(\S+)/),
    pushToken: find(/Bearer (ph_[\w-]+)/),
    async demoUser() {
      const email = find(/Sign in +(\S+)/)
      const { rows } = await database.query('SELECT id FROM users WHERE email = $1', [email])
      const token = await createSession(target, rows[0].id)
      return { id: rows[0].id, email, token, headers: { authorization: `Bearer ${token}` } }
    },
    async newUser(options) {
      const user = await createUser(target, options)
      // Without a verified email, users cannot upload.
      await database.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
      return user
    },
    query: (sql, values) => database.query(sql, values),
    async close() {
      await database.end()
      child.kill('SIGTERM')
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}
