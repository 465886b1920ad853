import { type ControlServer, withControlServer } from '../gateway/control-server.ts'
import type { Gateway, GatewayOptions } from '../gateway/gateway.ts'
import { startOpenGateway } from '../gateway/open-gateway.ts'
import { isReason } from './reasons.ts'
import { Subscriptions } from './subscriptions.ts'
import { PATH, rejection, validate, type WebPush } from './validate.ts'
import { VapidTokens } from './vapid.ts'

export type WebPushOptions = Omit<GatewayOptions, 'http1' | 'initialStreams' | 'tls'> & {
  /** Certificate and key of the server, PEM (see `ensureTls`). */
  tls: { certPem: string; keyPem: string }
  /** If true, an unknown subscription gets 404. If false, any ID and any key are accepted. Default: true. */
  strictDevices?: boolean
  /** Returns milliseconds since the epoch. Default: Date.now. */
  now?: () => number
  /** Port of the control server, 0 for a free one. Default: no control server. */
  controlPort?: number
}

export type WebPushEmulator = Gateway<WebPush> & {
  readonly subscriptions: Subscriptions
  /** Returns the endpoint that a browser passes to the application. */
  endpointOf(id: string): string
  readonly control: ControlServer | null
}

/**
 * Starts a local push service: `POST /push/ID` over HTTP/2 or HTTP/1.1 and TLS, according to RFC 8030, 8188, 8291 and
 * 8292. It has no private key of a browser, so it cannot read the messages.
 */
export async function startWebPush(options: WebPushOptions): Promise<WebPushEmulator> {
  const subscriptions = new Subscriptions(options.now)
  const vapid = new VapidTokens(options.now)
  const now = options.now ?? Date.now
  let origin = ''
  const gateway = await startOpenGateway<WebPush>(options, (requestLog) => ({
    validate: (request) =>
      validate(request, {
        origin,
        vapid,
        subscriptions,
        strict: options.strictDevices ?? true,
        onCredential: (authorization) => requestLog.recordCredential(authorization),
      }),
    isReason,
    benchmark: { reply: { status: 200 }, tokenAfter: null },
    reject: ({ reason, retryAfterSeconds }, _request, token) =>
      rejection(isReason(reason) ? reason : 'InternalServerError', token, retryAfterSeconds),
  }))
  origin = gateway.url
  gateway.requestLog.onAccepted(({ token, body, topic, ttl }) =>
    subscriptions.take(token, { body, topic, expiresAt: now() + ttl * 1000 }),
  )
  return {
    ...(await withControlServer(gateway, subscriptions, options.controlPort)),
    subscriptions,
    endpointOf: (id) => `${origin}${PATH}${id}`,
  }
}
