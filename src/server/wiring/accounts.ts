import { createKeySet } from '../adapters/jwks/key-set.ts'
import { createLoadKeys } from '../adapters/jwks/load-keys.ts'
import { createTokenVerifier } from '../adapters/jwks/verify-token.ts'
import { createAccountDeletionRepo } from '../adapters/postgres/accounts/account-deletion-repo.ts'
import { createApiKeyRepo } from '../adapters/postgres/accounts/api-key-repo.ts'
import { createAuditTrailRepo } from '../adapters/postgres/accounts/audit-repo.ts'
import { createEmailTokenRepo } from '../adapters/postgres/accounts/email-token-repo.ts'
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
import { providerKey } from '../api/access/provider-key.ts'
import type { Config } from '../config/config.ts'
import { createAccountDeletion } from '../domain/accounts/account-deletion.ts'
import { createAccounts, SIGN_UP_WINDOW_SECONDS } from '../domain/accounts/accounts.ts'
import { createApiKeys } from '../domain/accounts/api-keys.ts'
import { createAuditTrail } from '../domain/accounts/audit-trail.ts'
import { createEmailLinks, EMAIL_WINDOW_SECONDS } from '../domain/accounts/email-links.ts'
import { createExternalUsers } from '../domain/accounts/external-users.ts'
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
import { PROVIDER_IDS } from '../domain/accounts/schema.ts'
import { createServerKeys } from '../domain/accounts/server-keys.ts'
import { createSessionSweeper, createSessions } from '../domain/accounts/sessions.ts'
import { createSignIn } from '../domain/accounts/sign-in.ts'
import { createUserAdministration } from '../domain/accounts/user-administration.ts'
import { createUserTokenCodec } from '../domain/accounts/user-token.ts'
import { createUserTokens } from '../domain/accounts/user-tokens.ts'
import { DAY_WINDOW_SECONDS } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'

/** Time to send waiting emails at shutdown. If the mail server hangs, they are lost, and users request new ones. */
const MAIL_DRAIN_MS = 3_000

/** Connects accounts, sessions, API keys, an external issuer's users, and the emails about them. */
export function wireAccounts(
  config: Config,
  {
    audit,
    clock,
    db,
    externalUserRepo,
    findByExternalId,
    lifecycle,
    log,
    metrics,
    rateCounter,
  }: Infrastructure,
  { passwords, deleteFiles }: { passwords: Passwords; deleteFiles(userId: string): Promise<unknown> },
) {
  const smtp = config.mail && createSmtp(config.mail)
  const outbox =
    smtp &&
    createOutbox({
      send: (mail, signal) => smtp.send(composeMail(mail, config.baseUrl), signal),
      onResult: metrics.onEmail,
      log,
    })
  const { allowSignUp, baseUrl, sessionSecret: secret, sessionSecrets, adminRequirePasskey } = config
  const users = createUserRepo(db)
  const sessionRepo = createSessionRepo(db)
  const emailTokens = createEmailTokenRepo(db)
  const passkeys = createPasskeyRepo(db, {
    adminsNeedPasskey: adminRequirePasskey,
    providers: PROVIDER_IDS.filter((id) => config.providers[id]).map((id) => providerKey(id, config)),
  })
  const knownAddresses = rateCounter('known', KNOWN_ADDRESS_SECONDS)
  const throttled = createLoginThrottle({
    attempts: rateCounter('auth', LOGIN_WINDOW_SECONDS),
    knownAddresses,
    failuresPerAccount: config.signInFailuresPer15Min,
  })
  const sendsMail = outbox !== undefined
  const matchAccount = createMatchAccount({ passwords, sendsMail })
  const requests = rateCounter('mail', EMAIL_WINDOW_SECONDS)
  const common = {
    users,
    passwords,
    passkeys,
    throttled,
    knownAddresses,
    outbox,
    requests,
    clock,
    audit,
    log,
    baseUrl,
    secret,
    matchAccount,
    sendsMail,
  }
  const sessions = createSessions({ ...common, repo: sessionRepo, adminsNeedPasskey: adminRequirePasskey })
  const sessionSweeper = createSessionSweeper({ ...common, repo: sessionRepo, emailTokens })
  const signIn = createSignIn({ ...common, sessions })
  const knownClients = rateCounter('known-client', KNOWN_ADDRESS_SECONDS)
  const notices = createNotices({ ...common, sessions: sessionRepo, knownClients })
  const emailLinks = createEmailLinks({ ...common, notices, tokens: emailTokens })
  const accountDeletion = createAccountDeletion({
    ...common,
    repo: createAccountDeletionRepo(db),
    deleteFiles,
  })
  const challenges = createPasskeyChallenges(sessionSecrets, clock)
  const passkeyDeps = { ...common, repo: passkeys, webauthn: createWebAuthn(baseUrl), challenges }

  const external = config.externalIssuer
  const issuerKeys = external && createKeySet({ load: createLoadKeys(external), clock, log })
  const externalUsers =
    issuerKeys &&
    createExternalUsers({
      ...common,
      ...external,
      verify: createTokenVerifier({ ...external, keys: issuerKeys, clock }),
      repo: externalUserRepo,
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
    ...common,
    signIn,
    sessions,
    signUps,
    accountDeletion,
    emailLinks,
    notices,
    allowSignUp,
  }
  const signIns = rateCounter('passkey-sign-ins', DAY_WINDOW_SECONDS)
  const issuer = external?.issuer
  return {
    auth: {
      ...signIn,
      resolveIdentity: createResolveIdentity(accountDeps),
      ...createPasskeySignIn({ ...passkeyDeps, signIn, signIns }),
    },
    accounts: createAccounts(accountDeps),
    accountDeletion,
    emailLinks,
    notices,
    knownBrowsers: createKnownBrowsers(sessionSecrets),
    apiKeys: createApiKeys({
      ...common,
      notices,
      repo: createApiKeyRepo(db),
      newKeys: rateCounter('new-api-keys', DAY_WINDOW_SECONDS),
    }),
    serverKeys: createServerKeys({ repo: createServerKeyRepo(db), clock }),
    passkeys: createPasskeys({
      ...passkeyDeps,
      notices,
      changes: rateCounter('passkey-changes', DAY_WINDOW_SECONDS),
    }),
    sessions,
    sessionSweeper,
    sharePasswords: createSharePasswords(passwords, throttled),
    externalUsers,
    userTokens: createUserTokens({
      ...common,
      codec: createUserTokenCodec(sessionSecrets),
      repo: createUserTokenRepo(db),
      externalUsers: externalUserRepo,
      findByExternalId,
      issuer,
      isPolicy: (name) => config.uploads.policies.has(name),
    }),
    userAdministration: createUserAdministration({
      ...common,
      notices,
      managed: createManagedUserRepo(db),
      accountDeletion,
      emailLinks: outbox && emailLinks,
      issuer,
      findByExternalId,
    }),
    auditTrail: createAuditTrail(createAuditTrailRepo(db)),
  }
}
