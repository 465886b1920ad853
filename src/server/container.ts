import { createAuth, SIGN_IN_WINDOW_SECONDS } from './auth/services.ts'
import { systemClock } from './clock.ts'
import { type Config, loadConfig } from './config.ts'
import { createFileRepo } from './data/file-repo.ts'
import { createDb } from './data/prisma.ts'
import { createRateLimiter, createRateLimitPool } from './data/rate-limit.ts'
import { createAccountRemovalRepo } from './data/user-removal-repo.ts'
import { createUserRepo } from './data/user-repo.ts'
import { createObjectStore } from './s3/object-store.ts'
import { createLog } from './telemetry/log.ts'
import { createUploadService } from './upload/service.ts'

/** Everything a route may call. */
export type Services = Awaited<ReturnType<typeof build>>

/** The only place that wires adapters to domains. `start` begins background work, `close` ends all of it. */
export async function build(config: Config) {
  const clock = systemClock
  const log = createLog(config.logLevel)
  const db = createDb(config.databaseUrl)
  const limits = createRateLimitPool(config.databaseUrl, (err) =>
    log.warn({ err }, 'database connection lost'),
  )
  const { auth, accounts, removal } = createAuth({
    config,
    clock,
    log,
    users: createUserRepo(db),
    removals: createAccountRemovalRepo(db),
    attempts: createRateLimiter(limits, { prefix: 'auth', windowSeconds: SIGN_IN_WINDOW_SECONDS }),
    files: { deleteAllFilesOf: async () => {} },
  })
  const store = createObjectStore(config.s3, clock)
  const uploads = createUploadService({
    repo: createFileRepo(db),
    store,
    clock,
    urls: { baseUrl: config.baseUrl, publicUrl: config.s3.publicUrl },
    settings: config.uploads,
    report: (event, details) => log.warn(details, event),
  })

  return {
    config,
    clock,
    log,
    auth,
    accounts,
    uploads,

    /** Workers and sweeper; once per process. */
    async start(): Promise<void> {
      removal.start()
    },

    /** Lets work in flight finish, then gives everything back. */
    async close(): Promise<void> {
      await removal.close()
      await limits.end()
      store.close()
      await db.$disconnect()
    },
  }
}

const KEY = Symbol.for('pigeonhole.services')
const holder = globalThis as { [KEY]?: Promise<Services> }

/** The process's services. On `globalThis`, since Next gives instrumentation and routes separate copies of this module. */
export function getServices(): Promise<Services> {
  holder[KEY] ??= build(loadConfig())
  return holder[KEY]
}
