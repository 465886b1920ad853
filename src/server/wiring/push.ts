import { createApnsGateway } from '../adapters/apns/gateway.ts'
import { createFcmGateway } from '../adapters/fcm/gateway.ts'
import { createUnconfiguredGateway, type OnResult } from '../adapters/http2/gateway-options.ts'
import { createExternalUserRepo } from '../adapters/postgres/accounts/external-user-repo.ts'
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
import type { Config } from '../config/config.ts'
import { createFindByExternalId } from '../domain/accounts/external-users.ts'
import type { Gateway } from '../domain/push/delivery/gateway.ts'
import { UPSTREAMS } from '../domain/push/delivery/upstream.ts'
import { createPushService } from '../domain/push/service.ts'
import { DAY_WINDOW_SECONDS } from '../kernel/rate-counter.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Time for broadcasts in progress at shutdown. Requests to a gateway that hangs time out after 10 s. */
const PUSH_DRAIN_MS = 12_000
/** Time to close gateway connections, once no one waits for a push. */
const GATEWAY_CLOSE_MS = 1_000

/** Connects devices, messages, broadcasts and the gateways that deliver them. */
export function wirePush(config: Config, infrastructure: Infrastructure, lifecycle: Lifecycle) {
  const { broadcastDb, clock, db, log, metrics, rateCounter, sweepDb, trace } = infrastructure
  const gatewayHealth = createGatewayHealth()
  const onResult: OnResult = (...result) => {
    metrics.onPush(...result)
    gatewayHealth.onResult(...result)
  }
  const endpoints = createEndpointAddresses(config.webPush)
  const options = { log, clock, onResult }
  const traced = (gateway: Gateway) => (trace ? traceGateway(gateway, trace) : gateway)
  const { apns, fcm, webPush } = config
  const gateways = {
    ios: traced(apns ? createApnsGateway(apns, options) : createUnconfiguredGateway('ios')),
    android: traced(fcm ? createFcmGateway(fcm, options) : createUnconfiguredGateway('android')),
    web: traced(
      webPush.keys
        ? createWebPushGateway(
            { ...webPush.keys, hosts: webPush.hosts, origin: config.baseUrl },
            { ...options, addresses: endpoints },
          )
        : createUnconfiguredGateway('web'),
    ),
  }
  const findByExternalId = createFindByExternalId(createExternalUserRepo(db), config.externalIssuer?.issuer)
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
    gateways,
    webPush: {
      publicKey: webPush.keys?.publicKey ?? null,
      hosts: webPush.hosts,
      isReachable: endpoints.isReachable,
    },
    newDevices: rateCounter('new-devices', DAY_WINDOW_SECONDS),
    newSubscriptions: rateCounter('new-topics', DAY_WINDOW_SECONDS),
    tests: rateCounter('push-test', 60),
    testsOfDay: rateCounter('push-tests-of-day', DAY_WINDOW_SECONDS),
    findExternalUser: async (externalId) => (await findByExternalId(externalId))?.id ?? null,
    clock,
    log,
  })
  metrics.watch({
    queue: () => queueDepth(broadcastDb),
    async circuitBreakers() {
      const open = await openCircuitBreakers(broadcastDb)
      return Object.fromEntries(UPSTREAMS.map((upstream) => [upstream, open.includes(upstream) ? 1 : 0]))
    },
  })

  lifecycle.register({
    close: () => Promise.all(Object.values(gateways).map((gateway) => gateway.close(GATEWAY_CLOSE_MS))),
  })
  lifecycle.registerSweeper({ start: breakers.start, close: breakers.stop })
  lifecycle.register({ start: push.worker.start, drain: () => push.worker.stop(PUSH_DRAIN_MS) })
  lifecycle.register({ start: push.scheduler.start, drain: push.scheduler.close })
  lifecycle.registerSweeper(push.sweeper)
  return { push, gateways, gatewayHealth }
}
