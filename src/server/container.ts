import { createAuthenticate } from './auth/authenticate.ts'
import { createSignIn } from './auth/sign-in.ts'
import { systemClock } from './clock.ts'
import { type Config, loadConfig } from './config.ts'
import { createDb } from './data/prisma.ts'
import { createUserRepo } from './data/user-repo.ts'
import { createLog } from './telemetry/log.ts'

/** Everything a route may call. */
export type Services = Awaited<ReturnType<typeof build>>

/** The only place that wires adapters to domains. `start` begins background work, `close` ends all of it. */
export async function build(config: Config) {
  const clock = systemClock
  const log = createLog(config.logLevel)
  const db = createDb(config.databaseUrl)
  const users = createUserRepo(db)
  const { sessionSecret: secret, baseUrl, corsOrigins } = config
  const auth = {
    authenticate: createAuthenticate({ users, secret, baseUrl, corsOrigins }),
    ...createSignIn({ users, secret, clock }),
  }

  return {
    config,
    clock,
    log,
    auth,

    /** Workers and sweeper; once per process. */
    async start(): Promise<void> {},

    /** Lets work in flight finish, then gives everything back. */
    async close(): Promise<void> {
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
