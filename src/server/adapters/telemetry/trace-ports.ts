import type { Gateway } from '../../domain/push/delivery/gateway.ts'
import type { Post } from '../../domain/webhooks/delivery-worker.ts'
import type { Trace } from '../../kernel/trace.ts'

/** Adds a span to each push that a request waits for. Broadcasts have metrics instead. */
export function traceGateway(gateway: Gateway, trace: Trace): Gateway {
  return {
    ...gateway,
    send: (...args) =>
      trace.call(`push ${gateway.platform}`, { 'pigeonhole.gateway': gateway.platform }, async () => {
        const outcome = await gateway.send(...args)
        trace.note({
          'pigeonhole.outcome': outcome.kind,
          ...('reason' in outcome && { 'pigeonhole.reason': outcome.reason }),
        })
        return outcome
      }),
  }
}

/** Traces each attempt to deliver a webhook. `pigeonhole.event_id`: as in the list of deliveries. */
export function tracePost(post: Post, trace: Trace): Post {
  return (request, signal) => {
    const attributes = {
      'http.request.method': 'POST',
      'pigeonhole.event_id': request.headers['webhook-id'] ?? '',
    }
    return trace.background('webhook delivery', attributes, async () => {
      const result = await post(request, signal)
      // The reason of a failure can name a host. The list of deliveries contains it.
      trace.note(
        'status' in result ? { 'http.response.status_code': result.status } : { 'error.type': 'no response' },
      )
      return result
    })
  }
}
