import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { corsHeaders } from './cors.ts'
import { messageOf } from './errors.ts'
import { Dropped } from './fault-script.ts'
import { handle, type Service } from './handle.ts'
import { errorReply, type Reply, sendReply } from './reply.ts'
import { type Exchange, openExchange } from './request.ts'
import type { RequestLog } from './request-log.ts'
import { xmlDocument } from './xml.ts'

type Serve = (req: IncomingMessage, res: ServerResponse, wantBody: () => void) => void

export type Listener = {
  port: () => number
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** The HTTP side: one exchange per request, one request log entry per exchange. */
export async function listen(
  service: Service,
  requestLog: RequestLog,
  where: { host: string; port: number; virtualHosts: readonly string[] },
): Promise<Listener> {
  let port = where.port
  let server: Server | undefined
  const atWork = new Set<Promise<void>>()
  const serve: Serve = (req, res, wantBody) => {
    const one = exchange({ req, res, wantBody }, service, requestLog, where.virtualHosts)
    atWork.add(one)
    void one.finally(() => atWork.delete(one))
  }
  const up = async (): Promise<void> => {
    if (server) return
    const fresh = makeServer(serve)
    await new Promise<void>((resolve, reject) => {
      fresh.once('error', reject)
      fresh.listen(port, where.host, () => resolve())
    })
    server = fresh
    port = (fresh.address() as AddressInfo).port
  }
  const down = async (): Promise<void> => {
    const old = server
    server = undefined
    if (!old) return
    const closed = new Promise<void>((resolve) => old.close(() => resolve()))
    old.closeAllConnections()
    await closed
  }
  await up()
  const close = async (): Promise<void> => {
    await down()
    await Promise.all(atWork)
  }
  return { port: () => port, up, down, close }
}

function makeServer(serve: Serve): Server {
  // Large buffers: with the default of 16 KiB a 1 GiB upload costs four times as many turns of the loop.
  const server = createServer({
    highWaterMark: 512 * 1024,
    requestTimeout: 0,
    noDelay: true,
    keepAliveTimeout: 60_000,
  })
  server.on('request', (req, res) => serve(req, res, () => {}))
  // The client holds its body back until it is asked for, so a refused upload costs no bytes.
  server.on('checkContinue', (req, res) => serve(req, res, () => res.writeContinue()))
  server.on('clientError', (error, socket) => answerBrokenRequest(error, socket as Socket))
  return server
}

/** A body that ends early, or no HTTP at all; Node hands the bare socket over. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return
  const early = error.code === 'HPE_INVALID_EOF_STATE'
  const text = xmlDocument('Error', {
    Code: early ? 'IncompleteBody' : 'BadRequest',
    Message: messageOf(early ? 'IncompleteBody' : 'BadRequest'),
  })
  const length = Buffer.byteLength(text)
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/xml\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${text}`,
  )
}

async function exchange(
  { req, res, wantBody }: { req: IncomingMessage; res: ServerResponse; wantBody: () => void },
  service: Service,
  requestLog: RequestLog,
  virtualHosts: readonly string[],
): Promise<void> {
  const { ex, fault } = openExchange(req, virtualHosts, wantBody)
  ex.at = service.context.now()
  const begun = performance.now()
  let reply: Reply | undefined
  let dropped = false
  // Only when the work is over does the entry tell what became of it, also where the client has long gone.
  const closed = new Promise<void>((resolve) => {
    if (res.closed) resolve()
    else res.once('close', () => resolve())
  })
  res.on('error', () => {})
  try {
    reply = fault === undefined ? await answer(ex, service) : errorReply(ex, fault)
    addCors(ex, reply, service)
    await sendReply(ex, res, reply, service.context.store)
    // Node throws away what nobody read, but not what somebody stopped reading.
    if (!req.complete) req.resume()
  } catch (error) {
    dropped = true
    if (!(error instanceof Dropped)) console.error('emulator-s3:', error)
    req.socket.destroy()
  } finally {
    reply?.release?.()
  }
  await closed
  requestLog.record({
    requestId: ex.requestId,
    at: ex.at,
    durationMs: performance.now() - begun,
    operation: ex.operation,
    method: ex.method,
    bucket: ex.bucket,
    key: ex.key,
    status: reply?.status ?? 0,
    code: reply?.code,
    bytesIn: ex.bytesIn,
    bytesOut: ex.bytesOut,
    partNumber: ex.partNumber,
    uploadId: ex.uploadId,
    auth: ex.auth.kind,
    aborted: dropped || !res.writableFinished,
  })
}

/** The reply, errors included. @throws Dropped */
async function answer(ex: Exchange, service: Service): Promise<Reply> {
  try {
    return await handle(ex, service)
  } catch (error) {
    if (error instanceof Dropped) throw error
    return errorReply(ex, error)
  }
}

function addCors(ex: Exchange, reply: Reply, { context, faults }: Service): void {
  if (ex.operation === 'Preflight' || ex.bucket === undefined) return
  const rules = context.store.corsOf(ex.bucket, context.defaultCors)
  Object.assign(reply.headers, corsHeaders(ex, rules, faults.quirks.hideEtagFromCors))
}
