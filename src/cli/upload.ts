import { basename, resolve } from 'node:path'
import { createClient } from '@pigeonhole/client'
import {
  createNodeUploader,
  fileSource,
  type Uploader,
  type UploadFailure,
  type UploadHandle,
} from '@pigeonhole/client/node'
import { loadEnvFile } from './env-file.ts'
import { HELP, readOptions, type UploadOptions, UsageError } from './upload/options.ts'
import { showProgress } from './upload/progress.ts'
import { openSession, SignInError } from './upload/session.ts'

/** `npm run upload -- FILE...`: addresses of the files to standard output, everything else to standard error. */
const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 }

const CONTINUES = 'The same command continues where this one stopped.'
const AWAY_AFTER_MS = 5_000

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    loadEnvFile()
    const options = readOptions(process.argv.slice(2), process.env)
    if (options === 'help') {
      console.log(HELP)
      return EXIT.done
    }
    return await run(options)
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${HELP}`)
      return EXIT.usage
    }
    if (!(error instanceof SignInError)) throw error
    console.error(error.message)
    return EXIT.failed
  }
}

async function run(options: UploadOptions): Promise<number> {
  // Files first: a misspelled name should not cost a sign-in.
  const sources = await Promise.all(options.files.map(open))
  const session = await openSession(options)
  const client = createClient({ baseUrl: options.url, token: () => session.token })
  const uploader = createNodeUploader(client, {
    stateDir: options.stateDir,
    scope: options.url,
    ...(options.concurrency && { concurrency: options.concurrency }),
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
  await sayIfAway(options.url)
  const stopProgress = showProgress(uploader, process.stderr)
  const all = Promise.all(handles.map((handle) => handle.settled())).then(() => 'settled' as const)
  const ending = await Promise.race([all, lost, interrupt()])
  stopProgress()
  return ending === 'settled' ? finish(uploader, handles) : keep(uploader, handles, ending)
}

async function open(path: string) {
  try {
    return await fileSource(resolve(process.env.INIT_CWD ?? '.', path))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const what = code === 'ENOENT' ? 'does not exist' : code === 'EACCES' ? 'cannot be read' : 'is not a file'
    throw new UsageError(`${path} ${what}.`)
  }
}

async function finish(uploader: Uploader, handles: UploadHandle[]): Promise<number> {
  await uploader.close()
  let failed = false
  let continues = false
  for (const handle of handles) {
    const { name, file, error, warning } = handle.getSnapshot()
    if (warning) console.error(`${name}: ${warning}`)
    if (file) console.log(file.url)
    else console.error(`${basename(name)}: ${error?.message}${requestOf(error)}`)
    failed ||= file === null
    continues ||= error?.code === 'NETWORK' || error?.code === 'SERVER_ERROR'
  }
  if (continues) console.error(CONTINUES)
  return failed ? EXIT.failed : EXIT.done
}

async function keep(uploader: Uploader, handles: UploadHandle[], why: 'signed-out' | 'interrupted') {
  await uploader.close()
  for (const handle of handles) {
    const { file } = handle.getSnapshot()
    if (file) console.log(file.url)
  }
  console.error(
    why === 'interrupted'
      ? `Interrupted. ${CONTINUES}`
      : 'The session has ended. Run the same command with a new token: it continues where this one stopped.',
  )
  return why === 'interrupted' ? EXIT.interrupted : EXIT.failed
}

/** What an operator finds in the log. */
function requestOf(error: UploadFailure | null): string {
  return error?.requestId ? ` (request ${error.requestId})` : ''
}

/** The uploads themselves go on trying for about a minute. */
async function sayIfAway(url: string): Promise<void> {
  const signal = AbortSignal.timeout(AWAY_AFTER_MS)
  const answer = await fetch(`${url}/api/health/live`, { signal }).catch(() => null)
  await answer?.body?.cancel()
  if (answer === null)
    console.error(`${url} cannot be reached. Trying again for about a minute. ${CONTINUES}`)
}

/** The first Ctrl-C stops in good order; a second one ends at once (what arrived in the store stays anyway). */
function interrupt(): Promise<'interrupted'> {
  return new Promise((end) => {
    let again = false
    const stop = (): void => {
      if (again) process.exit(EXIT.interrupted)
      again = true
      end('interrupted')
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
