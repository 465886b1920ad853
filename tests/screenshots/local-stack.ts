import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { freePorts } from '../../src/cli/local/ports.ts'

export type LocalStack = {
  url: string
  phonesUrl: string
  mailboxUrl: string
  databaseUrl: string
  email: string
  password: string
  adminSecret: string
  /** The demo user's. */
  pushToken: string
  close(): Promise<void>
}

/** Starts `npm run local` with a temporary data folder and reads URLs and credentials from its output. */
export async function startLocalStack(): Promise<LocalStack> {
  const data = mkdtempSync(join(tmpdir(), 'pigeonhole-screenshot-'))
  const [port] = await freePorts(3900, 1)
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
  return {
    url: find(/App +(http\S+)/),
    phonesUrl: find(/Phones +(http\S+)/),
    mailboxUrl: find(/Mailbox +(http\S+)/),
    databaseUrl: find(/PostgreSQL +(\S+)/),
    email: find(/Sign in +(\S+)/),
    password: find(/Sign in +\S+ +\/ +(\S+)/),
    adminSecret: find(/Admin secret +(\S+)/),
    pushToken: find(/Bearer (ph_[\w-]+)/),
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}
