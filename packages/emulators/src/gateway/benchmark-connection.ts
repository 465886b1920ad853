import type { Socket } from 'node:net'
import type { CoalescedTimers } from './coalesced-timers.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import * as h2 from './http2-frames.ts'
import type { Reply } from './request.ts'

/** Response and counter of the benchmark mode. */
export type BenchmarkResponse = {
  /** Response with status 200. Of its headers, only `content-type` is sent. */
  readonly reply: Reply
  /** Text in the body (FCM) after which the device token follows. Null if the path identifies the device (APNs). */
  readonly tokenAfter: string | null
}

export type BenchmarkServices = {
  readonly response: BenchmarkResponse
  readonly timers: CoalescedTimers
  /** Counts a push. `device` identifies a device but is not necessarily its token; null if unknown. */
  count(device: string | null): void
}

const QUOTE = 0x22
/** Bytes that a client can send ahead on a connection. They are acknowledged in steps of ACKNOWLEDGE_BYTES. */
const RECEIVE_WINDOW_BYTES = 16_777_216
const ACKNOWLEDGE_BYTES = 1_048_576

/**
 * Connection that accepts everything after the fault script's latency, on bare frames: no header tables, checks,
 * payloads, rules or GOAWAY. For benchmarks, in which the gateway must not take CPU time from what is measured. A push
 * costs about 7 µs of CPU, against 55 µs with a validating connection. A node:http2 handler that only responds, which
 * was tried first, costs 45 µs.
 */
export class BenchmarkConnection extends Connection {
  readonly #socketOut: Socket
  readonly #services: BenchmarkServices
  readonly #headers: Buffer
  readonly #body: Buffer | null
  readonly #marker: Buffer | null
  readonly #bodies = new Map<number, Buffer>()
  #rest: Buffer = Buffer.alloc(0)
  #greeted = false
  #unacknowledged = 0
  #sendWindow = 65_535
  #out: Buffer[] = []
  #due: number[] = []
  #flushing = false

  constructor(parts: ConnectionParts, services: BenchmarkServices) {
    super('h2', parts)
    const { socket, faults, metrics } = parts
    this.#socketOut = socket
    this.#services = services
    const { reply, tokenAfter } = services.response
    this.#headers = h2.okBlock(reply.headers?.['content-type'])
    this.#body = reply.body === undefined ? null : Buffer.from(reply.body)
    this.#marker = tokenAfter === null ? null : Buffer.from(tokenAfter)
    this.#send(h2.settingFrame(h2.SETTINGS_MAX_CONCURRENT_STREAMS, faults.settings.maxConcurrentStreams))
    this.#send(h2.windowUpdate(RECEIVE_WINDOW_BYTES))
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('close', () => {
      metrics.counts.unanswered += this.inFlight
      metrics.counts.inFlight -= this.inFlight
    })
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    let at = 0
    if (!this.#greeted) {
      if (bytes.length < h2.PREFACE.length) {
        this.#rest = bytes
        return
      }
      at = h2.PREFACE.length
      this.#greeted = true
    }
    while (bytes.length - at >= h2.FRAME_HEADER_BYTES) {
      const end = at + h2.FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const payload = bytes.subarray(at + h2.FRAME_HEADER_BYTES, end)
      this.#take(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, bytes.readUInt32BE(at + 5) & 0x7fffffff, payload)
      at = end
    }
    this.#rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : Buffer.alloc(0)
  }

  #take(type: number, flags: number, streamId: number, payload: Buffer): void {
    switch (type) {
      case h2.HEADERS: {
        this.entered()
        if (this.#marker === null) {
          const skip = (flags & h2.PADDED ? 1 : 0) + (flags & h2.PRIORITY ? 5 : 0)
          this.#services.count(h2.encodedPath(payload.subarray(skip))?.toString('latin1') ?? null)
        }
        break
      }
      case h2.DATA:
        this.#unacknowledged += payload.length
        if (this.#unacknowledged >= ACKNOWLEDGE_BYTES) {
          this.#send(h2.windowUpdate(this.#unacknowledged))
          this.#unacknowledged = 0
        }
        if (this.#marker !== null)
          this.#collect(streamId, payload, (flags & h2.END_STREAM) !== 0, this.#marker)
        break
      case h2.SETTINGS:
        if (!(flags & h2.ACK)) this.#send(h2.frame(h2.SETTINGS, h2.ACK, 0, Buffer.alloc(0)))
        return
      case h2.PING:
        if (!(flags & h2.ACK)) this.#send(h2.frame(h2.PING, h2.ACK, 0, payload))
        return
      case h2.WINDOW_UPDATE:
        if (streamId === 0) {
          this.#sendWindow += payload.readUInt32BE(0)
          this.#respondToDue()
        }
        return
      case h2.GOAWAY:
        this.#socketOut.end()
        return
      default:
        return
    }
    if (flags & h2.END_STREAM) {
      this.#services.timers.after(this.faults.latencyMs(), () => {
        this.#due.push(streamId)
        this.#respondToDue()
      })
    }
  }

  /** Collects the whole body before looking for the token, because senders split bodies wherever their window ends. */
  #collect(streamId: number, payload: Buffer, last: boolean, marker: Buffer): void {
    const before = this.#bodies.get(streamId)
    const body = before ? Buffer.concat([before, payload]) : payload
    if (!last) {
      this.#bodies.set(streamId, before ? body : Buffer.from(body))
      return
    }
    this.#bodies.delete(streamId)
    this.#services.count(tokenIn(body, marker))
  }

  #respondToDue(): void {
    let sent = 0
    for (const streamId of this.#due) {
      if (this.#socketOut.destroyed || (this.#body && this.#sendWindow < this.#body.length)) break
      sent++
      this.left()
      const flags = this.#body ? h2.END_HEADERS : h2.END_HEADERS | h2.END_STREAM
      this.#send(h2.frame(h2.HEADERS, flags, streamId, this.#headers))
      if (this.#body) {
        this.#sendWindow -= this.#body.length
        this.#send(h2.frame(h2.DATA, h2.END_STREAM, streamId, this.#body))
      }
    }
    this.#due = sent === this.#due.length ? [] : this.#due.slice(sent)
  }

  /** Sends everything that is due in one turn of the event loop in one write, and thus in few TLS records. */
  #send(bytes: Buffer): void {
    this.#out.push(bytes)
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      if (!this.#socketOut.destroyed) this.#socketOut.write(Buffer.concat(this.#out))
      this.#out = []
      this.metrics.changed()
    })
  }
}

function tokenIn(body: Buffer, marker: Buffer): string | null {
  const start = body.indexOf(marker)
  if (start < 0) return null
  const end = body.indexOf(QUOTE, start + marker.length)
  return end < 0 ? null : body.toString('latin1', start + marker.length, end)
}
