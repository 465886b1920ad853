import { createApnsGateway } from '../adapters/apns/gateway.ts'
import { createFcmGateway, FCM_QUOTA } from '../adapters/fcm/gateway.ts'
import { createUnconfiguredGateway, type OnResult } from '../adapters/http2/gateway-options.ts'
import { TokenBucket } from '../adapters/http2/token-bucket.ts'
import { createChunkRepo, queueDepth } from '../adapters/postgres/push/broadcasts/chunk-repo.ts'
import {
  createCircuitBreakers,
  openCircuitBreakers,
} from '../adapters/postgres/push/delivery/circuit-breakers.ts'
import { createDeviceRepo } from '../adapters/postgres/push/devices/device-repo.ts'
import { createPreferenceRepo } from '../adapters/postgres/push/devices/preference-repo.ts'
import { createInboxRepo } from '../adapters/postgres/push/inbox/inbox-repo.ts'
import { createIdempotencyRepo } from '../adapters/postgres/push/messages/idempotency-repo.ts'
import { createMessageRepo } from '../adapters/postgres/push/messages/message-repo.ts'
import { createSentMessageRepo } from '../adapters/postgres/push/messages/sent-message-repo.ts'
import { createTemplateRepo } from '../adapters/postgres/push/messages/template-repo.ts'
import { createSweepRepo } from '../adapters/postgres/push/sweep-repo.ts'
import { createPushTokenRepo } from '../adapters/postgres/push/tokens/push-token-repo.ts'
import { createTopicRepo } from '../adapters/postgres/push/topics/topic-repo.ts'
import { createGatewayHealth } from '../adapters/telemetry/gateway-health.ts'
import { traceGateway } from '../adapters/telemetry/trace-ports.ts'
import { createEndpointAddresses } from '../adapters/web-push/endpoint-addresses.ts'
import { createWebPushGateway } from '../adapters/web-push/gateway.ts'
import type { Config, PushApp } from '../config/config.ts'
import type { Gateway, Gateways } from '../domain/push/delivery/gateway.ts'
import { createPushApps } from '../domain/push/delivery/push-apps.ts'
import { upstreamsOf } from '../domain/push/delivery/upstream.ts'
import { createPushService } from '../domain/push/service.ts'
import { DAY_WINDOW_SECONDS } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'

/** Time for broadcasts in progress at shutdown. Requests to a gateway that hangs time out after 10 s. */
const PUSH_DRAIN_MS = 12_000
/** Time to close gateway connections, once no one waits for a push. */
const GATEWAY_CLOSE_MS = 1_000

/** Connects devices, messages, broadcasts and the gateways that deliver them. */
export function wirePush(config: Config, infrastructure: Infrastructure) {
  const { broadcastDb, clock, db, findExternalUser, lifecycle, log, metrics, rateCounter, sweepDb, trace } =
    infrastructure
  const gatewayHealth = createGatewayHealth()
  const endpoints = createEndpointAddresses(config.webPush)
  const traced = (gateway: Gateway) => (trace ? traceGateway(gateway, trace) : gateway)
  /** Quotas of the FCM projects, which several apps can share. */
  const quotas = new Map(
    [...config.pushApps.values()].map(({ fcm }) => [
      fcm?.projectId,
      new TokenBucket(FCM_QUOTA, performance.now()),
    ]),
  )
  const onResultOf =
    (app: string): OnResult =>
    (...result) => {
      metrics.onPush(app, ...result)
      gatewayHealth.onResult(app, ...result)
    }
  const gatewaysOf = (app: string, { apns, fcm }: PushApp): Partial<Gateways> => {
    const options = { log: log.child({ app }), clock, onResult: onResultOf(app) }
    const { keys, hosts } = config.webPush
    return {
      ...(apns && { ios: traced(createApnsGateway(apns, options)) }),
      ...(fcm && {
        android: traced(createFcmGateway(fcm, { ...options, rate: quotas.get(fcm.projectId) })),
      }),
      ...(keys && {
        web: traced(
          createWebPushGateway(
            { ...keys, hosts, origin: config.baseUrl },
            { ...options, addresses: endpoints },
          ),
        ),
      }),
    }
  }
  const gateways = new Map([...config.pushApps].map(([app, settings]) => [app, gatewaysOf(app, settings)]))
  const apps = createPushApps(gateways, (app) => ({
    ios: traced(createUnconfiguredGateway('ios', onResultOf(app))),
    android: traced(createUnconfiguredGateway('android', onResultOf(app))),
    web: traced(createUnconfiguredGateway('web', onResultOf(app))),
  }))
  const breakers = createCircuitBreakers(broadcastDb, log)
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
    sweeps: createSweepRepo(sweepDb),
    topics: createTopicRepo(db),
    apps,
    webPush: {
      publicKey: config.webPush.keys?.publicKey ?? null,
      hosts: config.webPush.hosts,
      isReachable: endpoints.isReachable,
    },
    newDevices: rateCounter('new-devices', DAY_WINDOW_SECONDS),
    newSubscriptions: rateCounter('new-topics', DAY_WINDOW_SECONDS),
    tests: rateCounter('push-test', 60),
    testsOfDay: rateCounter('push-tests-of-day', DAY_WINDOW_SECONDS),
    findExternalUser,
    clock,
    log,
  })
  metrics.watch({
    queue: () => queueDepth(broadcastDb),
    async circuitBreakers() {
      const open = new Set(await openCircuitBreakers(broadcastDb))
      return Object.fromEntries(
        upstreamsOf(apps.names).map((upstream) => [upstream, open.has(upstream) ? 1 : 0]),
      )
    },
  })

  lifecycle.register({
    close: () =>
      Promise.all(
        [...gateways.values()].flatMap((own) =>
          Object.values(own).map((gateway) => gateway.close(GATEWAY_CLOSE_MS)),
        ),
      ),
  })
  lifecycle.registerSweeper(breakers)
  lifecycle.register({ start: push.worker.start, drain: () => push.worker.stop(PUSH_DRAIN_MS) })
  lifecycle.registerSweeper(push.scheduler)
  lifecycle.registerSweeper(push.sweeper)
  return { push, pushApps: apps, gatewayHealth }
}
