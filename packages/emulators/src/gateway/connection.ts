import type { Socket } from 'node:net'
import type { FaultScript } from './fault-script.ts'
import type { ConnectionMetrics } from './request-log.ts'

/** Parts of every connection. */
export type ConnectionParts = {
  id: number
  socket: Socket
  metrics: ConnectionMetrics
  faults: FaultScript
}

/** One connection to a gateway: its limits, its GOAWAY and its requests in flight. */
export class Connection {
  readonly id: number
  readonly protocol: 'h2' | 'http/1.1'
  requests = 0
  inFlight = 0
  /** The gateway's own notes about this connection, such as the provider token it has seen. */
  readonly notes = new Map<string, unknown>()
  readonly #socket: Socket
  protected readonly metrics: ConnectionMetrics
  protected readonly faults: FaultScript

  constructor(protocol: 'h2' | 'http/1.1', { id, socket, metrics, faults }: ConnectionParts) {
    this.id = id
    this.protocol = protocol
    this.#socket = socket
    this.metrics = metrics
    this.faults = faults
    metrics.counts.connectionsOpened++
    metrics.counts.connectionsOpen++
    metrics.changed()
    socket.once('close', () => {
      metrics.counts.connectionsOpen--
      metrics.changed()
    })
  }

  /** Lifts the initial stream limit, because the sender's credential was accepted on this connection. */
  trust(): void {}

  /** Announces that no further request will be read. Requests in flight still get their response. */
  goAway(_reason: string): void {
    this.#socket.destroy()
  }

  /** Closes the connection without notice. */
  cut(): void {
    this.#socket.destroy()
  }

  protected entered(): void {
    const { counts } = this.metrics
    this.requests++
    this.inFlight++
    counts.inFlight++
    if (counts.inFlight > counts.maxInFlight) counts.maxInFlight = counts.inFlight
    if (this.inFlight > counts.maxInFlightOnOneConnection) counts.maxInFlightOnOneConnection = this.inFlight
  }

  protected left(): void {
    this.inFlight--
    this.metrics.counts.inFlight--
  }
}
