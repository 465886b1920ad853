import type { Clock } from '../clock.ts'
import { outcomeOfFailure } from '../gateway/reply.ts'
import { type OnResult, reportTo } from '../gateway/report.ts'
import type { Logger } from '../log.ts'
import type { Gateway } from '../push/ports.ts'
import { checkEndpoint } from '../push/push-services.ts'
import { outcomeOf } from './answers.ts'
import { encrypt } from './encrypt.ts'
import type { EndpointAddresses } from './endpoint-addresses.ts'
import { prepare, type WebPushPrepared } from './payload.ts'
import { createPushServiceTransports } from './push-service-transports.ts'
import { createVapid, type VapidConfig } from './vapid.ts'

export type WebPushConfig = VapidConfig & {
  /** Besides the browsers' push services (WEB_PUSH_HOSTS). */
  hosts: readonly string[]
}

export type WebPushOptions = {
  log: Logger
  clock: Clock
  /** Which addresses push services may have: users name their hosts. */
  addresses: EndpointAddresses
  onResult?: OnResult
  maxInFlight?: number
  timeoutMs?: number
}

const DRAIN_MS = 20_000
const BUSY_MS = 1_000

/** Web push (RFC 8030) with encrypted payloads (RFC 8291) and VAPID (RFC 8292). */
export function createWebPushGateway(config: WebPushConfig, options: WebPushOptions): Gateway {
  const { log, clock, addresses, maxInFlight, timeoutMs } = options
  const vapid = createVapid(config, clock)
  const transports = createPushServiceTransports({ log, maxInFlight, timeoutMs, addresses })
  const report = reportTo('web', options.onResult)

  return {
    platform: 'web',

    prepare: (notification) => prepare(notification, clock.now()),

    // One async frame and one closure for each queued push, as for APNs.
    async send(prepared, { token: endpoint, webPush }, onTurn) {
      const startedAt = performance.now()
      const { messageId, silent, headers, plaintext, bytesOver } = prepared as WebPushPrepared
      // The operator may have taken the host off the list since the browser registered.
      if (!webPush || 'fault' in checkEndpoint(endpoint, config.hosts))
        return report({ kind: 'rejected', reason: 'ENDPOINT_NOT_ALLOWED' }, startedAt)
      if (silent) return report({ kind: 'rejected', reason: 'SILENT_NOT_SUPPORTED' }, startedAt)
      if (bytesOver > 0) return report({ kind: 'rejected', reason: 'PAYLOAD_TOO_LARGE' }, startedAt)
      const { origin, hostname, pathname, search } = new URL(endpoint)
      let areKeysBad = false
      const request = () => {
        if (onTurn && !onTurn()) return undefined
        try {
          // When its turn has come: what waits in the queue is not kept encrypted.
          const body = encrypt(plaintext, webPush)
          return {
            path: pathname + search,
            headers: { ...headers, authorization: vapid.authorization(origin) },
            body,
          }
        } catch {
          // Registration checks them. An exception would end the turns of all others.
          areKeysBad = true
          return undefined
        }
      }
      const reply = await transports.send(origin, messageId, request)
      if (areKeysBad) return report({ kind: 'rejected', reason: 'BAD_SUBSCRIPTION_KEYS' }, startedAt)
      if (!reply)
        return report({ kind: 'retry', reason: 'TOO_MANY_PUSH_SERVICES', afterMs: BUSY_MS }, startedAt)
      if (reply.kind === 'failure' && addresses.wasForbidden(hostname))
        return report({ kind: 'rejected', reason: 'ADDRESS_NOT_PUBLIC' }, startedAt)
      const outcome = reply.kind === 'failure' ? outcomeOfFailure(reply) : outcomeOf(reply, clock.now())
      return report(outcome, startedAt)
    },

    close: (drainMs = DRAIN_MS) => transports.close(drainMs),
  }
}
