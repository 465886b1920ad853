import type { Exchange, Reply } from './exchange.ts'
import type { FastRules } from './fast.ts'
import { type AcceptedPush, Ledger, type LedgerOptions } from './ledger.ts'
import { type ListenerOptions, listen } from './listener.ts'
import { type Action, Script, type Settings } from './script.ts'
import { Wheel } from './wheel.ts'

/** What the pipeline adds to a push when it is recorded. */
export type Facts = Pick<AcceptedPush, 'seq' | 'at' | 'connectionId' | 'headers'>

/** Makes the ledger's entry; null for a request that is in order but delivers nothing (validate_only). */
export type Push<A extends AcceptedPush> = ((facts: Facts) => A) | null

export type Verdict<A extends AcceptedPush> =
  | { readonly ok: true; readonly token: string; readonly push: Push<A>; readonly reply: Reply }
  | { readonly ok: false; readonly token: string | null; readonly reason: string; readonly reply: Reply }

export type Refusal = Extract<Verdict<AcceptedPush>, { ok: false }>

/** What makes a gateway APNs or FCM. */
export interface Rules<A extends AcceptedPush> {
  /** Looks at a complete request as the real gateway would. */
  judge(exchange: Exchange): Verdict<A>
  readonly fast: FastRules
  /** Whether the gateway knows this reason. */
  isReason(reason: string): boolean
  /** The gateway's own answer with this reason, for a push that a script wants refused. */
  refuse(action: Extract<Action, { kind: 'reject' }>, exchange: Exchange, token: string): Refusal
}

export interface GatewayOptions extends ListenerOptions, LedgerOptions {
  settings?: Partial<Settings>
  /** The dumb mode for benchmarks: HTTP/2 only, everything is accepted after the latency (see fast.ts). */
  fast?: boolean
  /** Seed of the script's random draws. Default 1. */
  seed?: number
}

export interface Gateway<A extends AcceptedPush> {
  readonly url: string
  readonly port: number
  readonly ledger: Ledger<A>
  readonly script: Script
  /** Says GOAWAY on every open connection, as before a restart. */
  goAway(reason?: string): void
  close(): Promise<void>
}

/** Runs requests through: hold, judge, script, ledger, latency, answer. */
export async function startGateway<A extends AcceptedPush>(
  options: GatewayOptions,
  rulesFor: (ledger: Ledger<A>) => Rules<A>,
): Promise<Gateway<A>> {
  const ledger = new Ledger<A>(options)
  const rules = rulesFor(ledger)
  const script = new Script(options.settings, options.seed, (reason) => rules.isReason(reason))
  const wheel = new Wheel()

  const record = (exchange: Exchange, push: Push<A>): void => {
    if (!push) return
    ledger.recordAccepted(
      push({
        seq: ledger.counts.accepted + 1,
        at: Date.now(),
        connectionId: exchange.connection.id,
        headers: exchange.headers,
      }),
    )
  }

  const answer = (exchange: Exchange, push: Push<A>, reply: Reply): void =>
    wheel.after(script.latencyMs(), () => {
      if (!exchange.answer(reply) && push) ledger.counts.unanswered++
    })

  const accept = (exchange: Exchange, push: Push<A>, reply: Reply): void => {
    // Recorded before the latency: a gateway has taken the push even if the sender no longer waits.
    record(exchange, push)
    answer(exchange, push, reply)
  }

  const turnDown = (exchange: Exchange, refusal: Refusal): void => {
    ledger.recordRejected({
      at: Date.now(),
      token: refusal.token,
      reason: refusal.reason,
      status: refusal.reply.status,
      connectionId: exchange.connection.id,
    })
    wheel.after(script.latencyMs(), () => exchange.answer(refusal.reply))
  }

  const interrupt = (exchange: Exchange, push: Push<A>, taken: boolean, end: () => void): void => {
    if (taken) {
      record(exchange, push)
      if (push) ledger.counts.unanswered++
    }
    wheel.after(script.latencyMs(), end)
  }

  const handle = (exchange: Exchange): void => {
    const verdict = rules.judge(exchange)
    if (!verdict.ok) {
      turnDown(exchange, verdict)
      return
    }
    const { token, push, reply } = verdict
    const action = script.decide(token)
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
        script.park(() => (action.accepted ? answer : accept)(exchange, push, reply))
    }
  }

  const enter = (exchange: Exchange): void => {
    if (script.settings.hold) script.park(() => handle(exchange))
    else handle(exchange)
  }
  const fast = { rules: rules.fast, wheel, count: (device: string | null) => ledger.count(device) }
  const listener = await listen(options, ledger, script, enter, options.fast ? fast : null)

  return {
    url: listener.url,
    port: listener.port,
    ledger,
    script,
    goAway: (reason = 'Shutdown') => {
      for (const connection of listener.connections) connection.goAway(reason)
    },
    close: () => {
      wheel.clear()
      return listener.close()
    },
  }
}
