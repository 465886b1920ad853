import { createKeySet } from '../adapters/jwks/key-set.ts'
import { createLoadKeys } from '../adapters/jwks/load-keys.ts'
import { createTokenVerifier } from '../adapters/jwks/verify-token.ts'
import { createAccountDeletionRepo } from '../adapters/postgres/accounts/account-deletion-repo.ts'
import { createApiKeyRepo } from '../adapters/postgres/accounts/api-key-repo.ts'
import { createAuditTrailRepo } from '../adapters/postgres/accounts/audit-repo.ts'
import { createEmailTokenRepo } from '../adapters/postgres/accounts/email-token-repo.ts'
import { createExternalUserRepo } from '../adapters/postgres/accounts/external-user-repo.ts'
import { createManagedUserRepo } from '../adapters/postgres/accounts/managed-user-repo.ts'
import { createPasskeyRepo } from '../adapters/postgres/accounts/passkey-repo.ts'
import { createServerKeyRepo } from '../adapters/postgres/accounts/server-key-repo.ts'
import { createSessionRepo } from '../adapters/postgres/accounts/session-repo.ts'
import { createUserRepo } from '../adapters/postgres/accounts/user-repo.ts'
import { createUserTokenRepo } from '../adapters/postgres/accounts/user-token-repo.ts'
import { composeMail } from '../adapters/smtp/compose.ts'
import { createOutbox } from '../adapters/smtp/outbox.ts'
import { createSmtp } from '../adapters/smtp/smtp.ts'
import { createWebAuthn } from '../adapters/webauthn/webauthn.ts'
import type { Config } from '../config/config.ts'
import { createAccountDeletion, type UserFiles } from '../domain/accounts/account-deletion.ts'
import { createAccounts, SIGN_UP_WINDOW_SECONDS } from '../domain/accounts/accounts.ts'
import { createApiKeys } from '../domain/accounts/api-keys.ts'
import { createAuditTrail } from '../domain/accounts/audit-trail.ts'
import { createEmailLinks, EMAIL_WINDOW_SECONDS } from '../domain/accounts/email-links.ts'
import { createExternalUsers, createFindByExternalId } from '../domain/accounts/external-users.ts'
import { createKnownBrowsers } from '../domain/accounts/known-browsers.ts'
import {
  createLoginThrottle,
  createSharePasswords,
  KNOWN_ADDRESS_SECONDS,
  LOGIN_WINDOW_SECONDS,
} from '../domain/accounts/login-throttle.ts'
import { createMatchAccount } from '../domain/accounts/match-account.ts'
import { createNotices } from '../domain/accounts/notices.ts'
import { createPasskeyChallenges } from '../domain/accounts/passkey-challenges.ts'
import { createPasskeySignIn } from '../domain/accounts/passkey-sign-in.ts'
import { createPasskeys } from '../domain/accounts/passkeys.ts'
import type { Passwords } from '../domain/accounts/password.ts'
import { createResolveIdentity } from '../domain/accounts/resolve-identity.ts'
import { createServerKeys } from '../domain/accounts/server-keys.ts'
import { createSessionSweeper, createSessions } from '../domain/accounts/sessions.ts'
import { createSignIn } from '../domain/accounts/sign-in.ts'
import { createUserAdministration } from '../domain/accounts/user-administration.ts'
import { createUserTokenCodec } from '../domain/accounts/user-token.ts'
import { createUserTokens } from '../domain/accounts/user-tokens.ts'
import { DAY_WINDOW_SECONDS } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Time to send waiting emails at shutdown. If the mail server hangs, they are lost, and users request new ones. */
const MAIL_DRAIN_MS = 3_000

/** Connects accounts, sessions, API keys, an external issuer's users, and the emails about them. */
export function wireAccounts(
  config: Config,
  { audit, clock, db, log, metrics, rateCounter }: Infrastructure,
  { passwords, files }: { passwords: Passwords; files: UserFiles },
  lifecycle: Lifecycle,
) {
  const smtp = config.mail && createSmtp(config.mail)
  const outbox =
    smtp &&
    createOutbox({
      send: (mail, signal) => smtp.send(composeMail(mail, config.baseUrl), signal),
      onResult: metrics.onEmail,
      log,
    })
  const { allowSignUp, baseUrl, sessionSecret: secret } = config
  const users = createUserRepo(db)
  const sessionRepo = createSessionRepo(db)
  const emailTokens = createEmailTokenRepo(db)
  const throttled = createLoginThrottle({
    attempts: rateCounter('auth', LOGIN_WINDOW_SECONDS),
    knownAddresses: rateCounter('known', KNOWN_ADDRESS_SECONDS),
    failuresPerAccount: config.signInFailuresPer15Min,
  })
  const passkeyRepo = createPasskeyRepo(db, config.adminRequirePasskey)
  const passkeyDeps = {
    repo: passkeyRepo,
    webauthn: createWebAuthn(baseUrl),
    challenges: createPasskeyChallenges(config.sessionSecrets, clock),
    clock,
  }
  const sessions = createSessions({
    repo: sessionRepo,
    adminsNeedPasskey: config.adminRequirePasskey,
    clock,
    audit,
  })
  const sessionSweeper = createSessionSweeper({
    repo: sessionRepo,
    emailTokens,
    passkeys: passkeyRepo,
    clock,
    log,
  })
  const sendsMail = outbox !== undefined
  const matchAccount = createMatchAccount({ passwords, sendsMail })
  const signIn = createSignIn({
    users,
    passwords,
    passkeys: passkeyRepo,
    throttled,
    matchAccount,
    sessions,
    secret,
    audit,
  })
  const requests = rateCounter('mail', EMAIL_WINDOW_SECONDS)
  const notices = createNotices({
    users,
    sessions: sessionRepo,
    requests,
    knownClients: rateCounter('known-client', KNOWN_ADDRESS_SECONDS),
    outbox,
    clock,
    baseUrl,
  })
  const emailLinks = createEmailLinks({
    notices,
    users,
    tokens: emailTokens,
    passwords,
    throttled,
    requests,
    outbox,
    clock,
    baseUrl,
  })
  const accountDeletion = createAccountDeletion({ repo: createAccountDeletionRepo(db), files, clock, log })

  const external = config.externalIssuer
  const externalUserRepo = createExternalUserRepo(db)
  const findByExternalId = createFindByExternalId(externalUserRepo, external?.issuer)
  const issuerKeys = external && createKeySet({ load: createLoadKeys(external), clock, log })
  const externalUsers =
    issuerKeys &&
    createExternalUsers({
      ...external,
      verify: createTokenVerifier({ ...external, keys: issuerKeys, clock }),
      repo: externalUserRepo,
      clock,
      audit,
    })

  lifecycle.register({
    start: () => issuerKeys?.start(),
    // Not in `drain`, because requests can still cause emails while the process drains.
    async close() {
      await outbox?.close(MAIL_DRAIN_MS)
      issuerKeys?.close()
    },
  })
  lifecycle.registerSweeper(accountDeletion)
  lifecycle.registerSweeper(sessionSweeper)

  const signUps = rateCounter('signup', SIGN_UP_WINDOW_SECONDS)
  const accountDeps = {
    users,
    passwords,
    passkeys: passkeyRepo,
    signIn,
    sessions,
    throttled,
    signUps,
    accountDeletion,
    emailLinks,
    notices,
  }
  return {
    auth: {
      ...signIn,
      resolveIdentity: createResolveIdentity({
        users,
        passkeys: passkeyRepo,
        emailLinks,
        clock,
        audit,
        allowSignUp,
        sendsMail,
      }),
      ...createPasskeySignIn({
        ...passkeyDeps,
        users,
        matchAccount,
        throttled,
        signIns: rateCounter('passkey-sign-ins', DAY_WINDOW_SECONDS),
        audit,
      }),
    },
    accounts: createAccounts({ ...accountDeps, clock, audit, allowSignUp, sendsMail }),
    accountDeletion,
    emailLinks,
    notices,
    knownBrowsers: createKnownBrowsers(config.sessionSecrets),
    apiKeys: createApiKeys({
      notices,
      repo: createApiKeyRepo(db),
      newKeys: rateCounter('new-api-keys', DAY_WINDOW_SECONDS),
      clock,
    }),
    serverKeys: createServerKeys({ repo: createServerKeyRepo(db), clock }),
    passkeys: createPasskeys({
      notices,
      ...passkeyDeps,
      changes: rateCounter('passkey-changes', DAY_WINDOW_SECONDS),
    }),
    sessions,
    sessionSweeper,
    sharePasswords: createSharePasswords(passwords, throttled),
    externalUsers,
    userTokens: createUserTokens({
      codec: createUserTokenCodec(config.sessionSecrets),
      repo: createUserTokenRepo(db),
      externalUsers: externalUserRepo,
      findByExternalId,
      issuer: external?.issuer,
      isPolicy: (name) => config.uploads.policies.has(name),
      clock,
      audit,
    }),
    userAdministration: createUserAdministration({
      notices,
      managed: createManagedUserRepo(db),
      accountDeletion,
      passwords,
      clock,
      invite: outbox && emailLinks.invite,
      issuer: external?.issuer,
      findByExternalId,
    }),
    auditTrail: createAuditTrail(createAuditTrailRepo(db)),
  }
}
