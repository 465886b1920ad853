import type { BenchmarkResponse } from './benchmark-connection.ts'
import { CoalescedTimers } from './coalesced-timers.ts'
import { type FaultAction, FaultScript, type Settings } from './fault-script.ts'
import { type ListenerOptions, listen } from './listener.ts'
import type { Exchange, Reply } from './request.ts'
import { type AcceptedPush, RequestLog, type RequestLogOptions } from './request-log.ts'

/** What the pipeline adds to a push when it is recorded. */
export type Facts = Pick<AcceptedPush, 'seq' | 'at' | 'connectionId' | 'headers'>

/** Makes the request log's entry; null for a request that is in order but delivers nothing (validate_only). */
export type Push<A extends AcceptedPush> = ((facts: Facts) => A) | null

export type ValidationResult<A extends AcceptedPush> =
  | { readonly ok: true; readonly token: string; readonly push: Push<A>; readonly reply: Reply }
  | { readonly ok: false; readonly token: string | null; readonly reason: string; readonly reply: Reply }

export type Rejection = Extract<ValidationResult<AcceptedPush>, { ok: false }>

/** What makes a gateway APNs or FCM. */
export type Rules<A extends AcceptedPush> = {
  /** Looks at a complete request as the real gateway would. */
  validate(exchange: Exchange): ValidationResult<A>
  readonly benchmark: BenchmarkResponse
  /** Whether the gateway knows this reason. */
  isReason(reason: string): boolean
  /** The gateway's own answer with this reason, for a push that the fault script rejects. */
  refuse(action: Extract<FaultAction, { kind: 'reject' }>, exchange: Exchange, token: string): Rejection
}

export type GatewayOptions = ListenerOptions &
  RequestLogOptions & {
    settings?: Partial<Settings>
    /** The dumb mode for benchmarks: HTTP/2 only, everything is accepted after the latency (see benchmark-connection.ts). */
    benchmark?: boolean
    /** Seed of the fault script's random draws. Default 1. */
    seed?: number
  }

export type Gateway<A extends AcceptedPush> = {
  readonly url: string
  readonly port: number
  readonly requestLog: RequestLog<A>
  readonly faults: FaultScript
  /** Says GOAWAY on every open connection, as before a restart. */
  goAway(reason?: string): void
  close(): Promise<void>
}

/** Runs every request through: hold, validation, fault script, request log, latency, response. */
export async function startGateway<A extends AcceptedPush>(
  options: GatewayOptions,
  rulesFor: (requestLog: RequestLog<A>) => Rules<A>,
): Promise<Gateway<A>> {
  const requestLog = new RequestLog<A>(options)
  const rules = rulesFor(requestLog)
  const faults = new FaultScript(options.settings, options.seed, (reason) => rules.isReason(reason))
  const timers = new CoalescedTimers()

  const record = (exchange: Exchange, push: Push<A>): void => {
    if (!push) return
    requestLog.recordAccepted(
      push({
        seq: requestLog.counts.accepted + 1,
        at: Date.now(),
        connectionId: exchange.connection.id,
        headers: exchange.headers,
      }),
    )
  }

  const answer = (exchange: Exchange, push: Push<A>, reply: Reply): void =>
    timers.after(faults.latencyMs(), () => {
      if (!exchange.answer(reply) && push) requestLog.counts.unanswered++
    })

  const accept = (exchange: Exchange, push: Push<A>, reply: Reply): void => {
    // Recorded before the latency: a gateway has taken the push even if the sender no longer waits.
    record(exchange, push)
    answer(exchange, push, reply)
  }

  const turnDown = (exchange: Exchange, refusal: Rejection): void => {
    requestLog.recordRejected({
      at: Date.now(),
      token: refusal.token,
      reason: refusal.reason,
      status: refusal.reply.status,
      connectionId: exchange.connection.id,
    })
    timers.after(faults.latencyMs(), () => exchange.answer(refusal.reply))
  }

  const interrupt = (exchange: Exchange, push: Push<A>, taken: boolean, end: () => void): void => {
    if (taken) {
      record(exchange, push)
      if (push) requestLog.counts.unanswered++
    }
    timers.after(faults.latencyMs(), end)
  }

  const handle = (exchange: Exchange): void => {
    const result = rules.validate(exchange)
    if (!result.ok) {
      turnDown(exchange, result)
      return
    }
    const { token, push, reply } = result
    const action = faults.decide(token)
    switch (action?.kind) {
      case undefined:
      case 'accept':
        accept(exchange, push, reply)
        return
      case 'reject':
        turnDown(exchange, rules.refuse(action, exchange, token))
        return
      case 'reset':
        interrupt(exchange, push, action.accepted ?? false, () => exchange.reset(action.code))
        return
      case 'disconnect':
        interrupt(exchange, push, action.accepted ?? false, () => exchange.connection.cut())
        return
      case 'hold':
        if (action.accepted) record(exchange, push)
        faults.park(() => (action.accepted ? answer : accept)(exchange, push, reply))
    }
  }

  const enter = (exchange: Exchange): void => {
    if (faults.settings.hold) faults.park(() => handle(exchange))
    else handle(exchange)
  }
  const benchmark = {
    response: rules.benchmark,
    timers,
    count: (device: string | null) => requestLog.count(device),
  }
  const listener = await listen(options, {
    metrics: requestLog,
    faults,
    onExchange: enter,
    benchmark: options.benchmark ? benchmark : null,
  })

  return {
    url: listener.url,
    port: listener.port,
    requestLog,
    faults,
    goAway: (reason = 'Shutdown') => {
      for (const connection of listener.connections) connection.goAway(reason)
    },
    close: () => {
      timers.clear()
      return listener.close()
    },
  }
}
