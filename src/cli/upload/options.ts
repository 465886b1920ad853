import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

export const HELP = `Usage: npm run upload -- FILE... [options]

  --url URL            address of the app          (PIGEONHOLE_URL, default http://localhost:3000)
  --token T            session token               (PIGEONHOLE_TOKEN)
  --email E            sign in with a password     (PIGEONHOLE_EMAIL)
  --password P         asked for if not given      (PIGEONHOLE_PASSWORD)
  --concurrency N      PUTs at once, 1 to 16       (default 4)

Prints the address of each file. After Ctrl-C, a crash or an error the same command continues where it
stopped. Exit code: 0 all arrived, 1 some did not, 2 wrong usage, 130 interrupted.`

export class UsageError extends Error {}

export type UploadOptions = {
  files: string[]
  url: string
  credentials: { token: string } | { email: string; password: string | undefined }
  concurrency: number | undefined
  /** Where unfinished uploads are remembered. */
  stateDir: string
}

type Env = Record<string, string | undefined>

/** @throws UsageError */
export function readOptions(args: string[], env: Env): UploadOptions | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  if (positionals.length === 0) throw new UsageError('No file given.')
  const url = (values.url ?? (env.PIGEONHOLE_URL || 'http://localhost:3000')).replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(`${url} is not an address like https://files.example.com.`)
  return {
    files: positionals,
    url,
    credentials: credentials(values, env),
    concurrency: concurrency(values.concurrency),
    stateDir: stateDir(env),
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...{ url: { type: 'string' }, token: { type: 'string' }, email: { type: 'string' } },
        ...{ password: { type: 'string' }, concurrency: { type: 'string' } },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** What stands in the command goes before the environment. */
function credentials(
  values: { token?: string; email?: string; password?: string },
  env: Env,
): UploadOptions['credentials'] {
  const byEmail = (email: string) => ({
    email,
    password: values.password ?? (env.PIGEONHOLE_PASSWORD || undefined),
  })
  if (values.token) return { token: values.token }
  if (values.email) return byEmail(values.email)
  if (env.PIGEONHOLE_TOKEN) return { token: env.PIGEONHOLE_TOKEN }
  if (env.PIGEONHOLE_EMAIL) return byEmail(env.PIGEONHOLE_EMAIL)
  throw new UsageError('No credentials given: use --token, or --email and --password.')
}

function concurrency(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const n = Number(value)
  if (!Number.isInteger(n) || n < 1 || n > 16) throw new UsageError('--concurrency must be 1 to 16.')
  return n
}

/**
 * The user's folder for state, not `.data/` of the checkout: the same file continues from whichever checkout
 * or release the command is run. No credentials are kept there.
 */
function stateDir(env: Env): string {
  if (env.PIGEONHOLE_STATE_DIR) return env.PIGEONHOLE_STATE_DIR
  const base =
    env.XDG_STATE_HOME ||
    (process.platform === 'win32' && env.LOCALAPPDATA) ||
    (process.platform === 'darwin' && join(homedir(), 'Library', 'Application Support')) ||
    join(homedir(), '.local', 'state')
  return join(base, 'pigeonhole', 'uploads')
}
