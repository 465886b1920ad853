import type { Audit } from '../audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { RateCounter } from '../rate-counter.ts'
import { createAccountDeletion } from './account-deletion.ts'
import { createAccounts } from './accounts.ts'
import { createLoginThrottle } from './login-throttle.ts'
import type { AccountDeletionRepo, SessionRepo, UserFiles, UserRepo } from './ports.ts'
import { createResolveIdentity } from './resolve-identity.ts'
import { createSessionSweeper } from './session-sweeper.ts'
import { createSessions } from './sessions.ts'
import { createSignIn } from './sign-in.ts'

export type AuthDeps = {
  config: Pick<Config, 'sessionSecret' | 'allowSignUp' | 'signInFailuresPer15Min'>
  clock: Clock
  log: Logger
  audit: Audit
  users: UserRepo
  sessions: SessionRepo
  deletions: AccountDeletionRepo
  /** Counts in windows of `LOGIN_WINDOW_SECONDS`. */
  attempts: RateCounter
  /** Counts in windows of `SIGN_UP_WINDOW_SECONDS`. */
  signUps: RateCounter
  files: UserFiles
}

/** Signing in, accounts and their deletion. */
export function createAuthService(deps: AuthDeps) {
  const { config, clock, log, audit, users, attempts, signUps, files } = deps
  const { sessionSecret: secret, allowSignUp } = config
  const throttled = createLoginThrottle({ attempts, failuresPerAccount: config.signInFailuresPer15Min })
  const sessions = createSessions({ repo: deps.sessions, clock, audit })
  const signIn = createSignIn({ users, throttled, sessions, secret, audit })
  const accountDeletion = createAccountDeletion({ repo: deps.deletions, files, clock, log })
  return {
    auth: {
      ...signIn,
      resolveIdentity: createResolveIdentity({ users, clock, audit, allowSignUp }),
    },
    accounts: createAccounts({
      users,
      signIn,
      throttled,
      signUps,
      accountDeletion,
      clock,
      audit,
      allowSignUp,
    }),
    accountDeletion,
    sessions,
    sessionSweeper: createSessionSweeper({ repo: deps.sessions, clock, log }),
  }
}
