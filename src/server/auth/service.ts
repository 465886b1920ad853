import type { Audit } from '../audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { RateCounter } from '../rate-counter.ts'
import { createAccountDeletion } from './account-deletion.ts'
import { createAccounts } from './accounts.ts'
import { createApiKeys } from './api-keys.ts'
import { createEmailLinks } from './email-links.ts'
import { createLoginThrottle } from './login-throttle.ts'
import type { Passwords } from './password.ts'
import type {
  AccountDeletionRepo,
  ApiKeyRepo,
  EmailTokenRepo,
  Outbox,
  SessionRepo,
  UserFiles,
  UserRepo,
} from './ports.ts'
import { createResolveIdentity } from './resolve-identity.ts'
import { createSessionSweeper } from './session-sweeper.ts'
import { createSessions } from './sessions.ts'
import { createSharePasswords } from './share-passwords.ts'
import { createSignIn } from './sign-in.ts'

export type AuthDeps = {
  config: Pick<Config, 'baseUrl' | 'sessionSecret' | 'allowSignUp' | 'signInFailuresPer15Min'>
  clock: Clock
  log: Logger
  audit: Audit
  users: UserRepo
  passwords: Passwords
  sessions: SessionRepo
  apiKeys: ApiKeyRepo
  emailTokens: EmailTokenRepo
  deletions: AccountDeletionRepo
  /** Counts in windows of `LOGIN_WINDOW_SECONDS`. */
  attempts: RateCounter
  /** Counts in windows of `KNOWN_ADDRESS_SECONDS`. */
  knownAddresses: RateCounter
  /** Counts in windows of `SIGN_UP_WINDOW_SECONDS`. */
  signUps: RateCounter
  /** Counts in windows of `MAIL_WINDOW_SECONDS`. */
  mailRequests: RateCounter
  /** Undefined: this service sends no mail. */
  outbox: Outbox | undefined
  files: UserFiles
}

/** Signing in, accounts and their deletion. */
export function createAuthService(deps: AuthDeps) {
  const { config, clock, log, audit, users, passwords, attempts, knownAddresses, signUps, files } = deps
  const { sessionSecret: secret, allowSignUp } = config
  const failuresPerAccount = config.signInFailuresPer15Min
  const throttled = createLoginThrottle({ attempts, knownAddresses, failuresPerAccount })
  const sessions = createSessions({ repo: deps.sessions, clock, audit })
  const signIn = createSignIn({ users, passwords, throttled, sessions, secret, audit })
  const emailLinks = createEmailLinks({
    users,
    tokens: deps.emailTokens,
    passwords,
    throttled,
    requests: deps.mailRequests,
    outbox: deps.outbox,
    clock,
    baseUrl: config.baseUrl,
  })
  const accountDeletion = createAccountDeletion({ repo: deps.deletions, files, clock, log })
  return {
    auth: {
      ...signIn,
      resolveIdentity: createResolveIdentity({ users, emailLinks, clock, audit, allowSignUp }),
    },
    accounts: createAccounts({
      users,
      passwords,
      signIn,
      throttled,
      signUps,
      accountDeletion,
      emailLinks,
      clock,
      audit,
      allowSignUp,
    }),
    accountDeletion,
    emailLinks,
    apiKeys: createApiKeys({ repo: deps.apiKeys, clock }),
    sessions,
    sharePasswords: createSharePasswords({ passwords, throttled }),
    sessionSweeper: createSessionSweeper({
      repo: deps.sessions,
      emailTokens: deps.emailTokens,
      clock,
      log,
    }),
  }
}
