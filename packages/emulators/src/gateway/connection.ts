import type { Socket } from 'node:net'
import type { FaultScript } from './fault-script.ts'
import type { ConnectionMetrics } from './request-log.ts'

/** What every connection is made of. */
export type ConnectionParts = {
  id: number
  socket: Socket
  metrics: ConnectionMetrics
  faults: FaultScript
}

/** One connection to a gateway: its limits, its farewell and how much is under way on it. */
export class Connection {
  readonly id: number
  readonly protocol: 'h2' | 'http/1.1'
  requests = 0
  inFlight = 0
  /** For the gateway's own notes about this connection (the provider token it has seen). */
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

  /** The sender's credential was accepted here: the start-up limit of streams ends. */
  trust(): void {}

  /** Says that no further request will be looked at; those under way are still answered. */
  goAway(_reason: string): void {
    this.#socket.destroy()
  }

  /** Cuts the connection without a word. */
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
