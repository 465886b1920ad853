import type { Gateway } from '../../domain/push/delivery/gateway.ts'
import { checkEndpoint } from '../../domain/push/devices/push-services.ts'
import { rawHeaders } from '../http2/connection-pool.ts'
import { DRAIN_MS, type GatewayOptions, reportTo } from '../http2/gateway-options.ts'
import { outcomeOfFailure } from '../http2/reply.ts'
import { encrypt } from './encrypt.ts'
import type { EndpointAddresses } from './endpoint-addresses.ts'
import { prepare, type WebPushPrepared } from './payload.ts'
import { createPushServiceTransports } from './push-service-transports.ts'
import { outcomeOf } from './reasons.ts'
import { createVapid, type VapidConfig } from './vapid.ts'

export type WebPushConfig = VapidConfig & {
  /** Push services besides the browsers' own (WEB_PUSH_HOSTS). */
  hosts: readonly string[]
  /** Base of links in notifications: NEXTAUTH_URL. */
  origin: string
}

export type WebPushOptions = GatewayOptions & {
  /** Addresses that push services can have. Users name the hosts. */
  addresses: EndpointAddresses
}

const BUSY_MS = 1_000

/** Web push (RFC 8030) with encrypted payloads (RFC 8291) and VAPID (RFC 8292). */
export function createWebPushGateway(config: WebPushConfig, options: WebPushOptions): Gateway {
  const { clock, addresses, onResult, ...transportOptions } = options
  const vapid = createVapid(config, clock)
  const transports = createPushServiceTransports({ ...transportOptions, addresses })
  const report = reportTo('web', onResult)

  return {
    platform: 'web',

    prepare: (notification) => prepare(notification, config.origin, clock.now()),

    async send(prepared, { token: endpoint, webPush }, onTurn) {
      const startedAt = performance.now()
      const { messageId, silent, headers, plaintext, bytesOver } = prepared as WebPushPrepared
      // The operator may have removed the host from the list since the browser registered.
      if (!webPush || 'fault' in checkEndpoint(endpoint, config.hosts))
        return report({ kind: 'rejected', reason: 'ENDPOINT_NOT_ALLOWED' }, startedAt)
      if (silent) return report({ kind: 'rejected', reason: 'SILENT_NOT_SUPPORTED' }, startedAt)
      if (bytesOver > 0) return report({ kind: 'rejected', reason: 'PAYLOAD_TOO_LARGE' }, startedAt)
      const { origin, hostname, pathname, search } = new URL(endpoint)
      let areKeysBad = false
      const makeRequest = () => {
        if (onTurn && !onTurn()) return undefined
        try {
          // Encrypt only now, so that no encrypted payloads wait in the queue.
          const body = encrypt(plaintext, webPush)
          const authorization = vapid.authorization(origin)
          return { path: pathname + search, headers: rawHeaders({ ...headers, authorization }), body }
        } catch {
          // Registration checks the keys. An exception here would stop all other pushes.
          areKeysBad = true
          return undefined
        }
      }
      const reply = await transports.send(origin, { flow: messageId, makeRequest })
      if (areKeysBad) return report({ kind: 'rejected', reason: 'BAD_SUBSCRIPTION_KEYS' }, startedAt)
      if (!reply)
        return report({ kind: 'retry', reason: 'TOO_MANY_PUSH_SERVICES', afterMs: BUSY_MS }, startedAt)
      if (reply.kind === 'response') return report(outcomeOf(reply, clock.now()), startedAt)
      if (addresses.wasForbidden(hostname))
        return report({ kind: 'rejected', reason: 'ADDRESS_NOT_PUBLIC' }, startedAt)
      return report(outcomeOfFailure(reply), startedAt)
    },

    close: (drainMs = DRAIN_MS) => transports.close(drainMs),
  }
}
