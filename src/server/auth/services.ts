import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Log } from '../telemetry/log.ts'
import { createAccounts } from './accounts.ts'
import { createAuthenticate } from './authenticate.ts'
import { createGuessGuard } from './guess-guard.ts'
import { createResolveIdentity } from './identities.ts'
import type { AccountRemovalRepo, AttemptCounter, FileEraser, UserRepo } from './ports.ts'
import { createAccountRemoval } from './removal.ts'
import { createSignIn } from './sign-in.ts'

/** Failed sign-ins count in windows of this length. */
export const SIGN_IN_WINDOW_SECONDS = 15 * 60

export type AuthDeps = {
  config: Config
  clock: Clock
  log: Log
  users: UserRepo
  removals: AccountRemovalRepo
  attempts: AttemptCounter
  files: FileEraser
}

/** Signing in and accounts, put together. */
export function createAuth(deps: AuthDeps) {
  const { config, clock, log, users, attempts, files } = deps
  const { sessionSecret: secret, baseUrl, corsOrigins, allowSignUp } = config
  const guarded = createGuessGuard({ attempts, failuresPerAccount: config.signInFailuresPer15Min })
  const signIn = createSignIn({ users, guarded, secret, clock })
  const removal = createAccountRemoval({ repo: deps.removals, files, clock, log })
  return {
    auth: {
      ...signIn,
      authenticate: createAuthenticate({ users, secret, baseUrl, corsOrigins }),
      resolveIdentity: createResolveIdentity({ users, clock, allowSignUp }),
      findSession: users.findSession,
    },
    accounts: createAccounts({ users, signIn, guarded, attempts, removal, clock, allowSignUp }),
    removal,
  }
}
