import type { FaultRule, Held, Quirks } from './fault-types.ts'
import type { ObjectView, UploadView } from './request-log.ts'
import type { LoggedRequest } from './types.ts'

/**
 * Connects to the fault script and request log of a store in another process, through its control server. Offers the
 * calls of `FaultScript` and `RequestLog` as promises. Throws errors of the other process with their message.
 */
export function connectS3(controlUrl: string) {
  const call = async <T>(name: string, ...args: unknown[]): Promise<T> => {
    const response = await fetch(`${controlUrl}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    const body = (await response.json()) as { result: T; error?: string }
    if (!response.ok) throw new Error(body.error ?? `HTTP ${response.status}`)
    return body.result
  }
  return {
    faults: {
      add: (rule: FaultRule) => call<string>('faults/add', rule),
      remove: (id: string) => call<null>('faults/remove', id),
      reset: () => call<null>('faults/reset'),
      setQuirks: (quirks: Partial<Quirks>) => call<null>('faults/setQuirks', quirks),
      publicRead: (where: { bucket?: string; prefix?: string } = {}) =>
        call<null>('faults/publicRead', where),
      setClockOffset: (ms: number) => call<null>('faults/setClockOffset', ms),
      held: () => call<Held[]>('faults/held'),
      waitForHeld: (name: string, timeoutMs = 60_000) => call<Held>('faults/waitForHeld', name, timeoutMs),
      release: (name?: string) => call<number>('faults/release', name),
    },
    requestLog: {
      entries: (since = 0) => call<LoggedRequest[]>('requestLog/entries', since),
      waitFor: (predicate: (entry: LoggedRequest) => boolean, timeoutMs = 60_000) => {
        return waitFor((since, ms) => call('requestLog/entriesAfter', since, ms), predicate, timeoutMs)
      },
      clear: () => call<null>('requestLog/clear'),
      bytesStored: (prefix = '') => call<number>('requestLog/bytesStored', prefix),
      objects: (prefix = '') => call<ObjectView[]>('requestLog/objects', prefix),
      uploads: (prefix = '') => call<UploadView[]>('requestLog/uploads', prefix),
    },
    down: () => call<null>('down'),
    up: () => call<null>('up'),
    applyLifecycle: (now: number) => call<{ expired: string[]; aborted: string[] }>('applyLifecycle', now),
  }
}

/** Waits in the other process, but runs the predicate in this one. */
async function waitFor(
  entriesAfter: (since: number, timeoutMs: number) => Promise<LoggedRequest[]>,
  predicate: (entry: LoggedRequest) => boolean,
  timeoutMs: number,
): Promise<LoggedRequest> {
  const end = Date.now() + timeoutMs
  let since = 0
  for (;;) {
    const entries = await entriesAfter(since, Math.max(end - Date.now(), 0))
    const found = entries.find(predicate)
    if (found) return found
    since = entries.at(-1)?.seq ?? since
    if (Date.now() >= end) throw new Error(`No matching request within ${timeoutMs} ms`)
  }
}
