import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Emulator } from './emulator.ts'
import type { FaultRule, Quirks } from './fault-types.ts'

export type ControlServer = { url: string; close(): Promise<void> }

type Call = (emulator: S3Emulator, args: unknown[]) => unknown

/** What can be called from outside; the names are those of the objects in process. */
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
 * The control server: `POST /{call}` with a JSON array of arguments gives `{ "result" }`, or 400 with
 * `{ "error" }`. A port of its own, because no path of the store is free of bucket names and because
 * `up` must be reachable while the store is down. For loopback only: it asks for no credentials.
 */
export async function startControlServer(
  emulator: S3Emulator,
  port = 0,
  host = '127.0.0.1',
): Promise<ControlServer> {
  const server = createServer({ requestTimeout: 0 }, async (req, res) => {
    const answer = (status: number, body: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' })
      res.end(JSON.stringify(body))
    }
    const call = CALLS[(req.url ?? '').slice(1)]
    // A page in somebody's browser can reach loopback too, but not send this type without a preflight.
    const asked = req.method === 'POST' && req.headers['content-type'] === 'application/json'
    if (!call || !asked) {
      answer(404, { error: 'POST application/json to one of these', calls: Object.keys(CALLS) })
      return
    }
    try {
      answer(200, { result: (await call(emulator, await readArguments(req))) ?? null })
    } catch (error) {
      answer(400, { error: error instanceof Error ? error.message : String(error) })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readArguments(req: IncomingMessage): Promise<unknown[]> {
  let text = ''
  for await (const piece of req.setEncoding('utf8')) text += piece
  const args: unknown = text === '' ? [] : JSON.parse(text)
  if (!Array.isArray(args)) throw new Error('The body must be a JSON array of arguments')
  return args
}
