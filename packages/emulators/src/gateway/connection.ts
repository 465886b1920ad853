import type { Socket } from 'node:net'
import type { ConnectionMetrics } from './request-log.ts'

/** One connection to a gateway: its limits, its farewell and how much is under way on it. */
export class Connection {
  readonly id: number
  readonly protocol: 'h2' | 'http/1.1'
  requests = 0
  inFlight = 0
  /** For the gateway's own notes about this connection (the provider token it has seen). */
  readonly notes = new Map<string, unknown>()
  private readonly socket: Socket
  protected readonly metrics: ConnectionMetrics

  constructor(id: number, protocol: 'h2' | 'http/1.1', socket: Socket, metrics: ConnectionMetrics) {
    this.id = id
    this.protocol = protocol
    this.socket = socket
    this.metrics = metrics
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
    this.socket.destroy()
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.socket.destroy()
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
