import { type Gateway, type GatewayOptions, type Rules, startGateway } from './gateway.ts'
import type { AcceptedPush, RequestLog } from './request-log.ts'

/** Maximum number of streams per connection at the front ends of FCM and of browsers' push services. */
const STREAMS = 100

/**
 * Starts a gateway that also speaks HTTP/1.1 and allows a new connection all streams before it has seen a credential.
 */
export function startOpenGateway<A extends AcceptedPush>(
  options: Omit<GatewayOptions, 'http1' | 'initialStreams'>,
  rulesFor: (requestLog: RequestLog<A>) => Rules<A>,
): Promise<Gateway<A>> {
  const maxConcurrentStreams = options.settings?.maxConcurrentStreams ?? STREAMS
  const settings = { ...options.settings, maxConcurrentStreams }
  return startGateway<A>(
    { ...options, http1: true, initialStreams: maxConcurrentStreams, settings },
    (requestLog) => {
      const rules = rulesFor(requestLog)
      return {
        ...rules,
        validate(request) {
          request.connection.trust()
          return rules.validate(request)
        },
      }
    },
  )
}
