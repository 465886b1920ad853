import type { Gateway } from '../push/ports.ts'
import type { Trace } from '../trace.ts'

/** A span for each push that a request waits for. Broadcasts have none: they are metrics. */
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
