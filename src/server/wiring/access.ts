import { bounded } from '../adapters/telemetry/gauges.ts'
import { createAdminAccess } from '../api/access/admin-access.ts'
import { type AuthenticateDeps, createAuthenticate } from '../api/access/authenticate.ts'
import { createCallLimit } from '../api/access/call-limit.ts'
import {
  createAddressPlaces,
  createCallQueue,
  createPresence,
  createRunCall,
} from '../api/access/call-queue.ts'
import { createLoopShare } from '../api/access/loop-share.ts'
import { createPushAccess, WRONG_TOKENS_PER_MINUTE } from '../api/access/push-access.ts'
import { createSecretGate, WRONG_SECRETS_PER_MINUTE } from '../api/access/secret-gate.ts'
import type { Config } from '../config/config.ts'
import type { ServerKeys } from '../domain/accounts/server-keys.ts'
import type { PushTokens } from '../domain/push/tokens/push-tokens.ts'
import { rememberFullWindows } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'

type Credentials = Pick<AuthenticateDeps, 'sessions' | 'apiKeys' | 'externalUsers' | 'userTokens'> & {
  serverKeys: ServerKeys
}

/** Connects authentication, rate limits and call queues. */
export function wireAccess(
  config: Config,
  { audit, clock, log, rateCounter }: Infrastructure,
  credentials: Credentials,
  tokens: PushTokens,
) {
  const wrongSecretsAt = (prefix: string, max = WRONG_SECRETS_PER_MINUTE) =>
    rememberFullWindows(rateCounter(prefix, 60), max)
  // Metrics matter most while the database is unavailable. No address is blocked then.
  const unblocked = { count: 0, secondsLeft: 0 }
  const wrongAtMetrics = wrongSecretsAt('metrics')
  const forMetrics = {
    ...wrongAtMetrics,
    read: async (key: string) => (await bounded(wrongAtMetrics.read(key))) ?? unblocked,
  }
  const countCall = createCallLimit({
    counter: rateCounter('api', 60),
    callsPerMinute: config.apiCallsPerMinute,
    clock,
    report: (event, details) => log.warn(details, event),
  })
  const inTurn = createCallQueue()
  const isAlone = createPresence()
  return {
    authenticate: createAuthenticate({ ...config, ...credentials }),
    countCall,
    addressPlaces: createAddressPlaces(isAlone),
    loopShare: createLoopShare({ isAlone }),
    inTurn,
    runCall: createRunCall(countCall, inTurn),
    metricsGate: createSecretGate(config.metricsTokens, forMetrics),
    pushAccess: createPushAccess({
      tokens,
      adminSecrets: config.adminSecrets,
      failures: {
        admin: wrongSecretsAt('push-admin'),
        reader: wrongSecretsAt('push-reader'),
        token: wrongSecretsAt('push-token', WRONG_TOKENS_PER_MINUTE),
      },
      sends: rateCounter('push-send', 60),
      sendsPerMinute: config.push.sendsPerMinute,
      clock,
      audit,
    }),
    adminAccess: createAdminAccess({
      // Pages of other origins cannot make changes with an administrator's cookie, even if CORS_ORIGINS names them.
      authenticate: createAuthenticate({ ...config, ...credentials, corsOrigins: [] }),
      serverKeys: credentials.serverKeys,
      adminSecrets: config.adminSecrets,
      requirePasskey: config.adminRequirePasskey,
      failures: wrongSecretsAt('admin-api'),
      audit,
    }),
  }
}
