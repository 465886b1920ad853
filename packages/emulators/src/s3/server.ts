import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { started } from '../serve-http.ts'
import { corsHeaders } from './cors.ts'
import { messageOf } from './errors.ts'
import { Dropped } from './fault-script.ts'
import { handle, type Service } from './handle.ts'
import { errorReply, type Reply, sendReply } from './reply.ts'
import { parseRequest, type S3Request } from './request.ts'
import type { RequestLog } from './request-log.ts'
import { xmlDocument } from './xml.ts'

type Serve = (req: IncomingMessage, res: ServerResponse, wantBody: () => void) => void

export type Listener = {
  port: () => number
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** Serves HTTP, with one request log entry per request. */
export async function listen(
  service: Service,
  requestLog: RequestLog,
  where: { host: string; port: number; virtualHosts: readonly string[] },
): Promise<Listener> {
  let port = where.port
  let server: Server | undefined
  const inProgress = new Set<Promise<void>>()
  const serve: Serve = (req, res, wantBody) => {
    const one = serveRequest({ req, res, wantBody }, service, requestLog, where.virtualHosts)
    inProgress.add(one)
    void one.finally(() => inProgress.delete(one))
  }
  const up = async (): Promise<void> => {
    if (server) return
    const next = createStoreServer(serve)
    port = await started(next, port, where.host)
    server = next
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
    await Promise.all(inProgress)
  }
  return { port: () => port, up, down, close }
}

function createStoreServer(serve: Serve): Server {
  // Use large buffers: with the default of 16 KiB, an upload of 1 GiB takes four times as many turns of the event loop.
  const server = createServer({
    highWaterMark: 512 * 1024,
    requestTimeout: 0,
    noDelay: true,
    keepAliveTimeout: 60_000,
  })
  server.on('request', (req, res) => serve(req, res, () => {}))
  // The client waits with its body until the server requests it, so a rejected upload costs no bytes.
  server.on('checkContinue', (req, res) => serve(req, res, () => res.writeContinue()))
  server.on('clientError', (error, socket) => rejectMalformedRequest(error, socket as Socket))
  return server
}

/** Responds to a body that ends early, or to data that is not HTTP. Node passes only the socket. */
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return
  const isIncomplete = error.code === 'HPE_INVALID_EOF_STATE'
  const text = xmlDocument('Error', {
    Code: isIncomplete ? 'IncompleteBody' : 'BadRequest',
    Message: messageOf(isIncomplete ? 'IncompleteBody' : 'BadRequest'),
  })
  const length = Buffer.byteLength(text)
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/xml\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${text}`,
  )
}

async function serveRequest(
  { req, res, wantBody }: { req: IncomingMessage; res: ServerResponse; wantBody: () => void },
  service: Service,
  requestLog: RequestLog,
  virtualHosts: readonly string[],
): Promise<void> {
  const { request, fault } = parseRequest(req, virtualHosts, wantBody)
  request.at = service.context.now()
  const startedAt = performance.now()
  let reply: Reply | undefined
  let dropped = false
  // Log the request only after the work has ended, so that the entry has the result even if the client disconnected.
  const closed = new Promise<void>((resolve) => {
    if (res.closed) resolve()
    else res.once('close', () => resolve())
  })
  res.on('error', () => {})
  try {
    reply = fault === undefined ? await replyTo(request, service) : errorReply(request, fault)
    addCors(request, reply, service)
    await sendReply(request, res, reply, service.context.store)
    // Node discards a body that nothing has read, but not one whose reading was stopped.
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
    requestId: request.requestId,
    at: request.at,
    durationMs: performance.now() - startedAt,
    operation: request.operation,
    method: request.method,
    bucket: request.bucket,
    key: request.key,
    status: reply?.status ?? 0,
    code: reply?.code,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
    partNumber: request.partNumber,
    uploadId: request.uploadId,
    auth: request.auth.kind,
    aborted: dropped || !res.writableFinished,
  })
}

/** Returns the reply, including errors. @throws Dropped */
async function replyTo(request: S3Request, service: Service): Promise<Reply> {
  try {
    return await handle(request, service)
  } catch (error) {
    if (error instanceof Dropped) throw error
    return errorReply(request, error)
  }
}

function addCors(request: S3Request, reply: Reply, { context, faults }: Service): void {
  if (request.operation === 'Preflight' || request.bucket === undefined) return
  const rules = context.store.corsOf(request.bucket, context.defaultCors)
  Object.assign(reply.headers, corsHeaders(request, rules, faults.quirks.hideEtagFromCors))
}
