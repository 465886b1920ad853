import { resolve } from 'node:path'
import { createClient } from '../client.ts'
import { createNodeUploader, fileSource, type UploadOptions } from '../upload/node.ts'
import { COMMON_OPTIONS, type Command, type Env, EXIT, parse, UsageError } from './command.ts'
import {
  CREDENTIAL_OPTIONS,
  CREDENTIALS_HELP,
  type Credentials,
  chooseCredentials,
  chooseServer,
} from './credentials.ts'
import { stateFolder } from './folders.ts'
import { showProgress } from './progress.ts'
import { openSession } from './session.ts'
import { CONTINUES, printResults } from './upload-results.ts'

const USAGE = `Usage: pigeonhole upload FILE... [options]

  --url URL            address of the server          (PIGEONHOLE_URL, default: that of the last login,
                       else http://localhost:3000)
${CREDENTIALS_HELP}
                       default: those of "pigeonhole login"
  --policy NAME        upload policy, whose types and sizes apply
  --data KEY=VALUE     your app's own value, stored with each file; can be repeated
  --concurrency N      parallel PUTs, 1 to 16         (default 4)
  --json               prints a line of JSON for each file: {"name","size","file"} or {"name","size","error"}

Prints the URL of each file to standard output, everything else to standard error. After Ctrl-C, a crash or
an error, run the same command to continue where it stopped.

Exit code: 0 all files uploaded, 1 some failed, 2 wrong usage, 130 interrupted.`

const UPLOAD_OPTIONS = {
  concurrency: { type: 'string' },
  policy: { type: 'string' },
  data: { type: 'string', multiple: true },
} as const

const UNREACHABLE_AFTER_MS = 5_000

export const upload: Command = {
  usage: USAGE,
  async run(args, env) {
    const options = { ...COMMON_OPTIONS, ...CREDENTIAL_OPTIONS, ...UPLOAD_OPTIONS } as const
    const { values, positionals } = parse(args, options, true)
    if (positionals.length === 0) throw new UsageError('No file given.')
    const concurrency = concurrencyOf(values.concurrency)
    const url = await chooseServer(values, env)
    const credentials = await chooseCredentials(values, env, url)
    const request = { files: positionals, url, credentials, concurrency, policy: values.policy }
    return send({ ...request, data: dataOf(values.data), json: values.json === true }, env)
  },
}

type Request = UploadOptions & {
  files: string[]
  url: string
  credentials: Credentials
  concurrency: number | undefined
  json: boolean
}

async function send(
  { files, url, credentials, concurrency, policy, data, json }: Request,
  env: Env,
): Promise<number> {
  // Open files first: a misspelled name should not cost a sign-in.
  const sources = await Promise.all(files.map(open))
  const session = await openSession(url, credentials, env)
  const client = createClient({ baseUrl: url, token: () => session.token })
  const uploader = createNodeUploader(client, {
    stateDir: stateFolder(env),
    scope: url,
    ...{ policy, data },
    ...(concurrency && { concurrency }),
  })
  const handles = sources.map((source) => uploader.upload(source))
  const lost = new Promise<'signed-out'>((end) => {
    uploader.subscribe(() => {
      if (!uploader.getSnapshot().signedOut) return
      session.renew().then(
        (renewed) => (renewed ? uploader.signedIn() : end('signed-out')),
        () => end('signed-out'),
      )
    })
  })
  await warnIfUnreachable(url)
  const stopProgress = showProgress(uploader, process.stderr)
  const all = Promise.all(handles.map((handle) => handle.settled())).then(() => 'settled' as const)
  const interruption = interrupt()
  const ending = await Promise.race([all, lost, interruption.came])
  stopProgress()
  await uploader.close()
  interruption.forget()
  const isComplete = printResults(handles, json)
  if (ending === 'interrupted') console.error(`Interrupted. ${CONTINUES}`)
  if (ending === 'signed-out') console.error(signedOutText(credentials))
  if (ending === 'interrupted') return EXIT.interrupted
  return isComplete ? EXIT.done : EXIT.failed
}

async function open(path: string) {
  try {
    return await fileSource(resolve(path))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const what = code === 'ENOENT' ? 'does not exist' : code === 'EACCES' ? 'cannot be read' : 'is not a file'
    throw new UsageError(`${path} ${what}.`)
  }
}

/** Returns `{ key: 'value' }` for `key=value`. */
function dataOf(given: string[] | undefined): UploadOptions['data'] {
  if (!given) return undefined
  return Object.fromEntries(
    given.map((entry) => {
      const at = entry.indexOf('=')
      if (at < 1) throw new UsageError(`--data must be KEY=VALUE, not ${entry}.`)
      return [entry.slice(0, at), entry.slice(at + 1)]
    }),
  )
}

function concurrencyOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const n = Number(value)
  if (!Number.isInteger(n) || n < 1 || n > 16) throw new UsageError('--concurrency must be from 1 to 16.')
  return n
}

function signedOutText(credentials: Credentials): string {
  if ('token' in credentials && credentials.what === 'API key')
    return 'The API key is unknown, revoked or expired. Run the same command with a new key to continue where this one stopped.'
  return 'The session has ended. Log in again, then run the same command to continue where this one stopped.'
}

/** Warns early: the uploads themselves retry for about a minute. */
async function warnIfUnreachable(url: string): Promise<void> {
  const signal = AbortSignal.timeout(UNREACHABLE_AFTER_MS)
  const response = await fetch(`${url}/api/health/live`, { signal }).catch(() => null)
  await response?.body?.cancel()
  if (response === null) console.error(`${url} cannot be reached. Retrying for about a minute. ${CONTINUES}`)
}

/** Stops cleanly after the first Ctrl-C, and exits immediately after the second. Stored parts remain either way. */
function interrupt(): { came: Promise<'interrupted'>; forget(): void } {
  let resolve = (_: 'interrupted'): void => {}
  const came = new Promise<'interrupted'>((settle) => {
    resolve = settle
  })
  let again = false
  const stop = (): void => {
    if (again) process.exit(EXIT.interrupted)
    again = true
    resolve('interrupted')
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    came,
    forget() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}
