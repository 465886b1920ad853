import type { IncomingMessage, RequestListener } from 'node:http'
import { namesThisMachine } from '../own-host.ts'
import { serveHttp } from '../serve-http.ts'
import type { S3Emulator } from './emulator.ts'
import type { FaultRule, Quirks } from './fault-types.ts'

export type ControlServer = { url: string; close(): Promise<void> }

type Call = (emulator: S3Emulator, args: unknown[]) => unknown

/** Calls available to other processes. Their names are those of the objects in this process. */
const CALLS: Record<string, Call> = {
  'faults/add': ({ faults }, [rule]) => faults.add(rule as FaultRule),
  'faults/remove': ({ faults }, [id]) => faults.remove(String(id)),
  'faults/reset': ({ faults }) => faults.reset(),
  'faults/setQuirks': ({ faults }, [quirks]) => faults.setQuirks(quirks as Partial<Quirks>),
  'faults/publicRead': ({ faults }, [where]) => faults.publicRead((where ?? {}) as { bucket?: string }),
  'faults/setClockOffset': ({ faults }, [ms]) => faults.setClockOffset(Number(ms)),
  'faults/held': ({ faults }) => faults.held(),
  'faults/waitForHeld': ({ faults }, [name, ms]) => faults.waitForHeld(String(name), optional(ms)),
  'faults/release': ({ faults }, [name]) => faults.release(name == null ? undefined : String(name)),
  'requestLog/entries': ({ requestLog }, [since]) => requestLog.entries(optional(since)),
  'requestLog/entriesAfter': ({ requestLog }, [since, ms]) =>
    requestLog.entriesAfter(Number(since), Number(ms)),
  'requestLog/clear': ({ requestLog }) => requestLog.clear(),
  'requestLog/bytesStored': ({ requestLog }, [prefix]) =>
    requestLog.bytesStored(prefix as string | undefined),
  'requestLog/objects': ({ requestLog }, [prefix]) => requestLog.objects(prefix as string | undefined),
  'requestLog/uploads': ({ requestLog }, [prefix]) => requestLog.uploads(prefix as string | undefined),
  down: (emulator) => emulator.down(),
  up: (emulator) => emulator.up(),
  applyLifecycle: (emulator, [now]) => emulator.applyLifecycle(Number(now)),
}

function optional(value: unknown): number | undefined {
  return value == null ? undefined : Number(value)
}

/**
 * Starts the control server: `POST /{call}` with a JSON array of arguments returns `{ "result" }`, or 400 with
 * `{ "error" }`. It has its own port, because any path of the store could be a bucket, and because `up` must be
 * reachable while the store is down. For loopback only: it requires no credentials.
 */
export async function startControlServer(
  emulator: S3Emulator,
  port = 0,
  host = '127.0.0.1',
): Promise<ControlServer> {
  const answer: RequestListener = async (req, res) => {
    const respond = (status: number, body: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' })
      res.end(JSON.stringify(body))
    }
    if (host === '127.0.0.1' && !namesThisMachine(req)) {
      respond(403, { error: 'Use localhost or an IP address' })
      return
    }
    const call = CALLS[(req.url ?? '').slice(1)]
    // A page in a browser can also reach loopback, but cannot send this content type without a preflight.
    const isCall = req.method === 'POST' && req.headers['content-type'] === 'application/json'
    if (!call || !isCall) {
      respond(404, {
        error: 'Send a POST with application/json to one of these calls',
        calls: Object.keys(CALLS),
      })
      return
    }
    try {
      respond(200, { result: (await call(emulator, await readArguments(req))) ?? null })
    } catch (error) {
      respond(400, { error: error instanceof Error ? error.message : String(error) })
    }
  }
  const service = await serveHttp(answer, { port, host }, { requestTimeout: 0 })
  return { url: `http://${host}:${service.port}`, close: service.close }
}

async function readArguments(req: IncomingMessage): Promise<unknown[]> {
  let text = ''
  for await (const piece of req.setEncoding('utf8')) text += piece
  const args: unknown = text === '' ? [] : JSON.parse(text)
  if (!Array.isArray(args)) throw new Error('The body must be a JSON array of arguments')
  return args
}
