import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Emulator } from './index.ts'
import type { Quirks, Rule } from './script-types.ts'

export type Control = { url: string; close(): Promise<void> }

type Call = (emulator: S3Emulator, args: unknown[]) => unknown

/** What can be called from outside; the names are those of the objects in process. */
const CALLS: Record<string, Call> = {
  'script/add': ({ script }, [rule]) => script.add(rule as Rule),
  'script/remove': ({ script }, [id]) => script.remove(String(id)),
  'script/reset': ({ script }) => script.reset(),
  'script/setQuirks': ({ script }, [quirks]) => script.setQuirks(quirks as Partial<Quirks>),
  'script/publicRead': ({ script }, [where]) => script.publicRead((where ?? {}) as { bucket?: string }),
  'script/setClockOffset': ({ script }, [ms]) => script.setClockOffset(Number(ms)),
  'script/held': ({ script }) => script.held(),
  'script/waitForHeld': ({ script }, [name, ms]) => script.waitForHeld(String(name), optional(ms)),
  'script/release': ({ script }, [name]) => script.release(name == null ? undefined : String(name)),
  'ledger/entries': ({ ledger }, [since]) => ledger.entries(optional(since)),
  'ledger/entriesAfter': ({ ledger }, [since, ms]) => ledger.entriesAfter(Number(since), Number(ms)),
  'ledger/clear': ({ ledger }) => ledger.clear(),
  'ledger/bytesStored': ({ ledger }, [prefix]) => ledger.bytesStored(prefix as string | undefined),
  'ledger/objects': ({ ledger }, [prefix]) => ledger.objects(prefix as string | undefined),
  'ledger/uploads': ({ ledger }, [prefix]) => ledger.uploads(prefix as string | undefined),
  down: (emulator) => emulator.down(),
  up: (emulator) => emulator.up(),
  applyLifecycle: (emulator, [now]) => emulator.applyLifecycle(Number(now)),
}

function optional(value: unknown): number | undefined {
  return value == null ? undefined : Number(value)
}

/**
 * The control door: `POST /{call}` with a JSON array of arguments gives `{ "result" }`, or 400 with
 * `{ "error" }`. A port of its own, because no path of the store is free of bucket names and because
 * `up` must be reachable while the store is down. For loopback only: it asks for no credentials.
 */
export async function openControl(emulator: S3Emulator, port = 0, host = '127.0.0.1'): Promise<Control> {
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
