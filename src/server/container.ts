import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApnsGateway } from './apns/gateway.ts'
import { createAudit } from './audit.ts'
import { createAuditTrail } from './audit-trail.ts'
import { SIGN_UP_WINDOW_SECONDS } from './auth/accounts.ts'
import { MAIL_WINDOW_SECONDS } from './auth/email-links.ts'
import { createExternalUsers } from './auth/external-users.ts'
import { KNOWN_ADDRESS_SECONDS, LOGIN_WINDOW_SECONDS } from './auth/login-throttle.ts'
import { createPasswords } from './auth/password.ts'
import { createAuthService } from './auth/service.ts'
import { createUserAdministration } from './auth/user-administration.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createAuditRepo, createAuditTrailRepo } from './data/audit/audit-repo.ts'
import { createDb } from './data/postgres/db.ts'
import { isDatabaseUnavailable } from './data/postgres/is-database-unavailable.ts'
import { LONG, SHORT } from './data/postgres/pool.ts'
import { createRateCounter, createRateCounterPool } from './data/postgres/rate-counter.ts'
import { waitForDatabase } from './data/postgres/wait-for-database.ts'
import { createChunkRepo, queueDepth } from './data/push/chunk-repo.ts'
import { createCircuitBreakers, openCircuitBreakers } from './data/push/circuit-breakers.ts'
import { createDeviceRepo } from './data/push/device-repo.ts'
import { createIdempotencyRepo } from './data/push/idempotency-repo.ts'
import { createInboxRepo } from './data/push/inbox-repo.ts'
import { createMessageRepo } from './data/push/message-repo.ts'
import { createPreferenceRepo } from './data/push/preference-repo.ts'
import { createPushTokenRepo } from './data/push/push-token-repo.ts'
import { createRetentionRepo } from './data/push/retention-repo.ts'
import { createSentMessageRepo } from './data/push/sent-message-repo.ts'
import { createTemplateRepo } from './data/push/template-repo.ts'
import { createTopicRepo } from './data/push/topic-repo.ts'
import { createShareRepo } from './data/shares/share-repo.ts'
import { countCleanupFailures } from './data/upload/cleanup-failures.ts'
import { createFileRepo } from './data/upload/file-repo.ts'
import { createStorageLeases, storedBytes } from './data/upload/storage-leases.ts'
import { createAccountDeletionRepo } from './data/users/account-deletion-repo.ts'
import { createApiKeyRepo } from './data/users/api-key-repo.ts'
import { createEmailTokenRepo } from './data/users/email-token-repo.ts'
import { createExternalUserRepo } from './data/users/external-user-repo.ts'
import { findExternalUser } from './data/users/find-external-user.ts'
import { createManagedUserRepo } from './data/users/managed-user-repo.ts'
import { createSessionRepo } from './data/users/session-repo.ts'
import { createUserRepo } from './data/users/user-repo.ts'
import { createDeliveryRepo, deliveryBacklog } from './data/webhooks/delivery-repo.ts'
import { createWebhookRepo } from './data/webhooks/webhook-repo.ts'
import { createDoctor } from './doctor/doctor.ts'
import { createAddressPolicy } from './egress/address-policy.ts'
import { createEgressAgent } from './egress/egress-agent.ts'
import { createPost } from './egress/post.ts'
import { createFcmGateway } from './fcm/gateway.ts'
import type { OnResult } from './gateway/report.ts'
import { createUnconfiguredGateway } from './gateway/unconfigured-gateway.ts'
import { createAdminAccess } from './http/authentication/admin-access.ts'
import { createAuthenticate } from './http/authentication/authenticate.ts'
import { createPushAccess } from './http/authentication/push-access.ts'
import { createSecretGate } from './http/authentication/secret-gate.ts'
import { createKeySet } from './jwt/key-set.ts'
import { createLoadKeys } from './jwt/load-keys.ts'
import { createTokenVerifier } from './jwt/verify-token.ts'
import { composeMail } from './mail/compose.ts'
import { createOutbox } from './mail/outbox.ts'
import { createSmtp } from './mail/smtp.ts'
import { NEW_DEVICES_WINDOW_SECONDS } from './push/devices.ts'
import { createPushService } from './push/service.ts'
import { PLATFORM_OF, UPSTREAMS } from './push/upstream.ts'
import { createObjectStore } from './s3/object-store.ts'
import { createStoreProbe } from './s3/store-probe.ts'
import { createShareService } from './shares/service.ts'
import { createDeploymentState } from './telemetry/deployment-state.ts'
import { createGatewayHealth } from './telemetry/gateway-health.ts'
import { bounded } from './telemetry/gauges.ts'
import { createHealth } from './telemetry/health.ts'
import { createLog } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { traceGateway } from './telemetry/trace-gateway.ts'
import { tracePost } from './telemetry/trace-post.ts'
import { watchStore } from './telemetry/watch-store.ts'
import { watchUploads } from './telemetry/watch-uploads.ts'
import { createCallLimit } from './trpc/call-limit.ts'
import { createCallQueue, createRunCall, MAX_AT_WORK } from './trpc/call-queue.ts'
import { deleteUserFiles } from './upload/deletion.ts'
import { presignFile } from './upload/file-queries.ts'
import { fileUrl } from './upload/file-url.ts'
import { createUploadService } from './upload/service.ts'
import { limitStorage } from './upload/storage-ceiling.ts'
import { createSweeper, type Swept } from './upload/sweeper.ts'
import { createWebhookService } from './webhooks/service.ts'
import { createEndpointAddresses } from './webpush/endpoint-addresses.ts'
import { createWebPushGateway } from './webpush/gateway.ts'

/** Everything a route may call. */
export type Services = Awaited<ReturnType<typeof build>>

// At shutdown; the launcher allows 25 s for everything.
/** Time for broadcasts in flight. A gateway that hangs lets go of them after 10 s. */
const PUSH_DRAIN_MS = 12_000
/** Time for webhooks in flight. A receiver that is mute lets go of them after 10 s, and another replica repeats them. */
const WEBHOOK_DRAIN_MS = 3_000
/** Time for sweeps, which other replicas repeat. */
const SWEEP_DRAIN_MS = 3_000
/** Time for mails in flight. Those that a mute server keeps are lost: their readers ask for others. */
const MAIL_DRAIN_MS = 3_000
/** Requests that still wait for the store then fail. */
const STORE_DRAIN_MS = 10_000
/** By then nobody waits for a push any more. */
const GATEWAY_CLOSE_MS = 1_000

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** For the answer to a webhook, from the look-up of its name on. */
const WEBHOOK_TIMEOUT_MS = 10_000

/**
 * Wires adapters to domains; nothing else does. `start` starts the background work, `close` stops all of it.
 * `passwords`: instead of those at the production cost.
 */
export async function build(config: Config, passwords = createPasswords()) {
  const clock = systemClock
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  // Loaded only where it is on: the SDK takes 0.3 s.
  const trace = config.tracing ? (await import('./telemetry/tracing.ts')).startTracing(log) : undefined
  // More than one caller's calls may hold at a time.
  const db = createDb(config.databaseUrl, MAX_AT_WORK + 4, SHORT, trace)
  metrics.watchPool('requests', db.pool)
  // Statements over thousands of rows: they may take longer, and must not take connections from requests.
  const sweepDb = createDb(config.databaseUrl, 2, LONG)
  metrics.watchPool('sweeps', sweepDb.pool)
  const counterPool = createRateCounterPool(config.databaseUrl, (err) =>
    log.warn({ err }, 'database connection lost'),
  )
  metrics.watchPool('limits', counterPool)
  const objectStore = createObjectStore(config.s3, clock, trace)
  const store = watchStore(objectStore, metrics.onStoreCall, trace)
  const files = watchUploads(createFileRepo(db), metrics.onUpload)
  const ceiling = config.totalStorageBytes
  if (ceiling !== undefined) metrics.watchStorage(async () => ({ ...(await storedBytes(db)), ceiling }))
  const uploadDeps = {
    repo:
      ceiling === undefined
        ? files
        : limitStorage(files, {
            leases: createStorageLeases(db),
            ceiling,
            clock,
            onRefused: metrics.onStorageFull,
          }),
    store,
    clock,
    urls: { baseUrl: config.baseUrl, publicUrl: config.s3.publicUrl },
    settings: config.uploads,
    report: (event: string, { error, ...details }: Record<string, unknown>) =>
      log.warn({ ...details, err: error }, event),
    onSwept: (swept: Swept & { ms: number }) => {
      metrics.onSwept(swept)
      log.info(swept, 'swept')
    },
  }
  const uploads = createUploadService(uploadDeps)
  const sweepDeps = { ...uploadDeps, repo: watchUploads(createFileRepo(sweepDb), metrics.onUpload) }
  const sweeper = createSweeper(sweepDeps)
  const audit = createAudit({ repo: createAuditRepo(db), clock, log })
  const smtp = config.mail && createSmtp(config.mail)
  const outbox =
    smtp &&
    createOutbox({
      send: (mail, signal) => smtp.send(composeMail(mail, config.baseUrl), signal),
      onResult: metrics.onMail,
      log,
    })
  const { auth, accounts, accountDeletion, emailLinks, apiKeys, sessions, sessionSweeper, sharePasswords } =
    createAuthService({
      config,
      clock,
      log,
      audit,
      users: createUserRepo(db),
      passwords,
      sessions: createSessionRepo(db),
      apiKeys: createApiKeyRepo(db),
      emailTokens: createEmailTokenRepo(db),
      deletions: createAccountDeletionRepo(db),
      attempts: createRateCounter(counterPool, { prefix: 'auth', windowSeconds: LOGIN_WINDOW_SECONDS }),
      knownAddresses: createRateCounter(counterPool, {
        prefix: 'known',
        windowSeconds: KNOWN_ADDRESS_SECONDS,
      }),
      signUps: createRateCounter(counterPool, { prefix: 'signup', windowSeconds: SIGN_UP_WINDOW_SECONDS }),
      mailRequests: createRateCounter(counterPool, { prefix: 'mail', windowSeconds: MAIL_WINDOW_SECONDS }),
      outbox,
      files: { deleteAll: (userId) => deleteUserFiles(sweepDeps, sweeper, userId) },
    })

  const shares = createShareService({
    repo: createShareRepo(db),
    sweeps: createShareRepo(sweepDb),
    passwords: sharePasswords,
    presign: (file, options) => presignFile(uploadDeps, file, options),
    sessionSecrets: config.sessionSecrets,
    baseUrl: config.baseUrl,
    clock,
    log,
  })

  const external = config.externalIssuer
  const issuerKeys = external && createKeySet({ load: createLoadKeys(external), clock, log })
  const externalUsers =
    external && issuerKeys
      ? createExternalUsers({
          ...external,
          verify: createTokenVerifier({ ...external, keys: issuerKeys, clock }),
          repo: createExternalUserRepo(db),
          clock,
          audit,
        })
      : undefined
  const authenticate = createAuthenticate({ sessions, apiKeys, externalUsers, ...config })
  // An administrator's cookie counts for changes from our own pages only, whatever other origins may call.
  const authenticateAdmin = createAuthenticate({
    sessions,
    apiKeys,
    externalUsers,
    ...config,
    corsOrigins: [],
  })
  const countCall = createCallLimit({
    counter: createRateCounter(counterPool, { prefix: 'api', windowSeconds: 60 }),
    callsPerMinute: config.apiCallsPerMinute,
    clock,
    report: (event, details) => log.warn(details, event),
  })
  const inTurn = createCallQueue()

  const gatewayHealth = createGatewayHealth()
  const onResult: OnResult = (...result) => {
    metrics.onPush(...result)
    gatewayHealth.onResult(...result)
  }
  const gatewayOptions = { log, clock, onResult }
  const endpoints = createEndpointAddresses(config.webPush)
  const untraced = {
    ios: config.apns ? createApnsGateway(config.apns, gatewayOptions) : createUnconfiguredGateway('ios'),
    android: config.fcm ? createFcmGateway(config.fcm, gatewayOptions) : createUnconfiguredGateway('android'),
    web: config.webPush.keys
      ? createWebPushGateway(
          { ...config.webPush.keys, hosts: config.webPush.hosts },
          { ...gatewayOptions, addresses: endpoints },
        )
      : createUnconfiguredGateway('web'),
  }
  const gateways = trace
    ? {
        ios: traceGateway(untraced.ios, trace),
        android: traceGateway(untraced.android, trace),
        web: traceGateway(untraced.web, trace),
      }
    : untraced

  // Connections of their own, so that broadcasts and requests do not delay each other.
  const broadcastDb = createDb(config.databaseUrl, 8)
  metrics.watchPool('broadcasts', broadcastDb.pool)
  metrics.watchCleanup(() => countCleanupFailures(broadcastDb))
  metrics.watchQueue(() => queueDepth(broadcastDb))
  const wrongSecretsAt = (prefix: string) => createRateCounter(counterPool, { prefix, windowSeconds: 60 })
  // Metrics matter most while the database is down, so then no address counts as blocked.
  const unblocked = { count: 0, secondsLeft: 0 }
  const wrongAtMetrics = wrongSecretsAt('metrics')
  const forMetrics = {
    ...wrongAtMetrics,
    read: async (key: string) => (await bounded(wrongAtMetrics.read(key))) ?? unblocked,
  }
  const breakers = createCircuitBreakers(broadcastDb, log)
  metrics.watchCircuitBreakers(UPSTREAMS, () => openCircuitBreakers(broadcastDb))
  const push = createPushService({
    tokens: createPushTokenRepo(db),
    devices: createDeviceRepo(db),
    preferences: createPreferenceRepo(db),
    messages: createMessageRepo(db, breakers),
    inbox: createInboxRepo(db),
    sentMessages: createSentMessageRepo(db),
    templates: createTemplateRepo(db),
    chunks: createChunkRepo(broadcastDb, breakers),
    keys: createIdempotencyRepo(db),
    retention: createRetentionRepo(sweepDb),
    topics: createTopicRepo(db),
    gateways,
    webPush: {
      publicKey: config.webPush.keys?.publicKey ?? null,
      hosts: config.webPush.hosts,
      isReachable: endpoints.isReachable,
    },
    newDevices: createRateCounter(counterPool, {
      prefix: 'new-devices',
      windowSeconds: NEW_DEVICES_WINDOW_SECONDS,
    }),
    tests: createRateCounter(counterPool, { prefix: 'push-test', windowSeconds: 60 }),
    findExternalUser: external && ((externalId) => findExternalUser(db, external.issuer, externalId)),
    clock,
    log,
  })
  const pushAccess = createPushAccess({
    tokens: push.tokens,
    adminSecrets: config.adminSecrets,
    failures: {
      admin: wrongSecretsAt('push-admin'),
      reader: wrongSecretsAt('push-reader'),
      token: wrongSecretsAt('push-token'),
    },
    sends: createRateCounter(counterPool, { prefix: 'push-send', windowSeconds: 60 }),
    sendsPerMinute: config.push.sendsPerMinute,
    clock,
    audit,
  })

  const adminAccess = createAdminAccess({
    authenticate: authenticateAdmin,
    adminSecrets: config.adminSecrets,
    failures: wrongSecretsAt('admin-api'),
    audit,
  })
  const userAdministration = createUserAdministration({
    managed: createManagedUserRepo(db),
    accountDeletion,
    passwords,
    clock,
    invite: outbox && emailLinks.invite,
    issuer: external?.issuer,
  })
  const { allowPrivate } = config.webhooks
  const addresses = createAddressPolicy({ allowPrivate })
  const egress = createEgressAgent(addresses, { timeoutMs: WEBHOOK_TIMEOUT_MS })
  const post = createPost(egress, WEBHOOK_TIMEOUT_MS)
  const webhooks = createWebhookService({
    webhooks: createWebhookRepo(db),
    deliveries: createDeliveryRepo(broadcastDb),
    sweeps: createDeliveryRepo(sweepDb),
    urls: { allowHttp: allowPrivate, isForbiddenHost: addresses.isForbiddenHost },
    post: trace ? tracePost(post, trace) : post,
    complete: (type, data) =>
      type === 'file.ready'
        ? { ...data, url: fileUrl(uploadDeps.urls, { id: String(data.fileId), key: String(data.key) }) }
        : data,
    onAttempt: metrics.onWebhookAttempt,
    clock,
    log,
  })
  metrics.watchWebhooks(() => deliveryBacklog(sweepDb))

  const probe = createStoreProbe(config.s3)
  let workEnded: Promise<void> | undefined

  /** Ends what runs by itself: pushes in flight finish, sweeps are cut short. Never waits long for anybody. */
  function stopWork(): Promise<void> {
    workEnded ??= (async () => {
      setTimeout(() => objectStore.interrupt(), STORE_DRAIN_MS).unref()
      const sweeps = Promise.all([
        accountDeletion.close(),
        sessionSweeper.close(),
        shares.retention.close(),
        sweeper.close(),
        push.retention.close(),
        webhooks.retention.close(),
        breakers.stop(),
      ])
      await Promise.all([
        push.worker.stop(PUSH_DRAIN_MS),
        push.scheduler.stop(),
        webhooks.worker.stop(WEBHOOK_DRAIN_MS),
        Promise.race([sweeps, sleep(SWEEP_DRAIN_MS, undefined, { ref: false })]),
      ])
    })()
    return workEnded
  }

  const health = createHealth(
    { database: () => db.sql.rows`SELECT 1` },
    {
      objectStore: probe.check,
      ...(config.apns && { apns: () => gatewayHealth.check('ios') }),
      ...(config.fcm && { fcm: () => gatewayHealth.check('android') }),
      ...(config.webPush.keys && { webPush: () => gatewayHealth.check('web') }),
    },
    log,
  )

  const deploymentState = createDeploymentState({
    ready: health.ready,
    configured: { ios: !!config.apns, android: !!config.fcm, web: !!config.webPush.keys },
    platformOf: (upstream) => PLATFORM_OF[upstream],
    openCircuitBreakers: () => openCircuitBreakers(broadcastDb),
    queue: () => queueDepth(broadcastDb),
    webhooks: () => deliveryBacklog(broadcastDb),
  })

  return {
    config,
    clock,
    log,
    /** Undefined: tracing is off. */
    trace,
    metrics,
    metricsGate: createSecretGate(config.metricsTokens, forMetrics),
    health,
    deploymentState,
    doctor: createDoctor(config, MIGRATIONS),
    authenticate,
    countCall,
    inTurn,
    runCall: createRunCall(countCall, inTurn),
    auth,
    accounts,
    accountDeletion,
    emailLinks,
    apiKeys,
    sessions,
    sessionSweeper,
    uploads,
    shares,
    store,
    sweeper,
    gateways,
    push,
    pushAccess,
    adminAccess,
    userAdministration,
    auditTrail: createAuditTrail(createAuditTrailRepo(db)),
    webhooks,
    isDatabaseUnavailable,

    /** Waits for the database, then starts the workers and the sweeper. Once per process. */
    async start(): Promise<void> {
      await waitForDatabase(counterPool, log)
      issuerKeys?.start()
      accountDeletion.start()
      sessionSweeper.start()
      shares.retention.start()
      sweeper.start()
      breakers.start()
      push.worker.start()
      push.scheduler.start()
      push.retention.start()
      webhooks.worker.start()
      webhooks.retention.start()
    },

    stopWork,

    /** Lets work in flight finish, then closes all connections. */
    async close(): Promise<void> {
      await stopWork()
      // Not before: the requests of a drain may still ask for mails.
      await outbox?.close(MAIL_DRAIN_MS)
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close(GATEWAY_CLOSE_MS)))
      await egress.destroy()
      issuerKeys?.close()
      store.close()
      probe.close()
      await Promise.all([counterPool.close(), broadcastDb.close(), sweepDb.close(), db.close()])
      await trace?.close()
    },
  }
}
