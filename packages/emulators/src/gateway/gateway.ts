import type { BenchmarkResponse } from './benchmark-connection.ts'
import { CoalescedTimers } from './coalesced-timers.ts'
import { type FaultAction, FaultScript, type Settings } from './fault-script.ts'
import { type ListenerOptions, listen } from './listener.ts'
import type { GatewayRequest, Reply } from './request.ts'
import { type AcceptedPush, RequestLog, type RequestLogOptions } from './request-log.ts'

/** Fields that the pipeline adds to a recorded push. */
export type Facts = Pick<AcceptedPush, 'seq' | 'at' | 'connectionId' | 'headers'>

/** Creates the request log's entry. Null for a valid request that delivers nothing (validate_only). */
export type Push<A extends AcceptedPush> = ((facts: Facts) => A) | null

export type ValidationResult<A extends AcceptedPush> =
  | { readonly ok: true; readonly token: string; readonly push: Push<A>; readonly reply: Reply }
  | { readonly ok: false; readonly token: string | null; readonly reason: string; readonly reply: Reply }

export type Rejection = Extract<ValidationResult<AcceptedPush>, { ok: false }>

/** Rules of one kind of gateway: APNs, FCM or web push. */
export type Rules<A extends AcceptedPush> = {
  /** Validates a complete request as the real gateway would. */
  validate(request: GatewayRequest): ValidationResult<A>
  readonly benchmark: BenchmarkResponse
  /** Returns true if the gateway has this reason. */
  isReason(reason: string): boolean
  /** Returns the gateway's own response with this reason, for a push that the fault script rejects. */
  reject(action: Extract<FaultAction, { kind: 'reject' }>, request: GatewayRequest, token: string): Rejection
}

export type GatewayOptions = ListenerOptions &
  RequestLogOptions & {
    settings?: Partial<Settings>
    /** Benchmark mode: HTTP/2 only, and everything is accepted after the latency (see benchmark-connection.ts). */
    benchmark?: boolean
    /** Seed of the fault script's random generator. Default: 1. */
    seed?: number
  }

export type Gateway<A extends AcceptedPush> = {
  readonly url: string
  readonly port: number
  readonly requestLog: RequestLog<A>
  readonly faults: FaultScript
  /** Sends GOAWAY on every open connection, as before a restart. */
  goAway(reason?: string): void
  close(): Promise<void>
}

/** Starts a gateway. Each request passes: hold, validation, fault script, request log, latency, response. */
export async function startGateway<A extends AcceptedPush>(
  options: GatewayOptions,
  rulesFor: (requestLog: RequestLog<A>) => Rules<A>,
): Promise<Gateway<A>> {
  const requestLog = new RequestLog<A>(options)
  const rules = rulesFor(requestLog)
  const faults = new FaultScript(options.settings, options.seed, (reason) => rules.isReason(reason))
  const timers = new CoalescedTimers()

  const record = (request: GatewayRequest, push: Push<A>): void => {
    if (!push) return
    requestLog.recordAccepted(
      push({
        seq: requestLog.counts.accepted + 1,
        at: Date.now(),
        connectionId: request.connection.id,
        headers: request.headers,
      }),
    )
  }

  const respond = (request: GatewayRequest, push: Push<A>, reply: Reply): void =>
    timers.after(faults.latencyMs(), () => {
      if (!request.respond(reply) && push) requestLog.counts.unanswered++
    })

  const accept = (request: GatewayRequest, push: Push<A>, reply: Reply): void => {
    // Record before the latency: a gateway has accepted the push even if the sender no longer waits.
    record(request, push)
    respond(request, push, reply)
  }

  const reject = (request: GatewayRequest, rejection: Rejection): void => {
    requestLog.recordRejected({
      at: Date.now(),
      token: rejection.token,
      reason: rejection.reason,
      status: rejection.reply.status,
      connectionId: request.connection.id,
    })
    timers.after(faults.latencyMs(), () => request.respond(rejection.reply))
  }

  const interrupt = (request: GatewayRequest, push: Push<A>, accepted: boolean, end: () => void): void => {
    if (accepted) {
      record(request, push)
      if (push) requestLog.counts.unanswered++
    }
    timers.after(faults.latencyMs(), end)
  }

  const handle = (request: GatewayRequest): void => {
    const result = rules.validate(request)
    if (!result.ok) {
      reject(request, result)
      return
    }
    const { token, push, reply } = result
    const action = faults.decide(token)
    switch (action?.kind) {
      case undefined:
      case 'accept':
        accept(request, push, reply)
        return
      case 'reject':
        reject(request, rules.reject(action, request, token))
        return
      case 'reset':
        interrupt(request, push, action.accepted ?? false, () => request.reset(action.code))
        return
      case 'disconnect':
        interrupt(request, push, action.accepted ?? false, () => request.connection.cut())
        return
      case 'hold':
        if (action.accepted) record(request, push)
        faults.park(() => (action.accepted ? respond : accept)(request, push, reply))
    }
  }

  const enter = (request: GatewayRequest): void => {
    if (faults.settings.hold) faults.park(() => handle(request))
    else handle(request)
  }
  const benchmark = {
    response: rules.benchmark,
    timers,
    count: (device: string | null) => requestLog.count(device),
  }
  const listener = await listen(options, {
    metrics: requestLog,
    faults,
    onRequest: enter,
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
