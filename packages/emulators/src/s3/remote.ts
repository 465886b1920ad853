import type { ObjectView, UploadView } from './ledger.ts'
import type { Held, Quirks, Rule } from './script-types.ts'
import type { LedgerEntry } from './types.ts'

/**
 * Script and ledger of a store in another process, by its control door: the calls of `Script` and
 * `Ledger`, as promises. Errors of the other side are thrown here with their message.
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
    script: {
      add: (rule: Rule) => call<string>('script/add', rule),
      remove: (id: string) => call<null>('script/remove', id),
      reset: () => call<null>('script/reset'),
      setQuirks: (quirks: Partial<Quirks>) => call<null>('script/setQuirks', quirks),
      publicRead: (where: { bucket?: string; prefix?: string } = {}) =>
        call<null>('script/publicRead', where),
      setClockOffset: (ms: number) => call<null>('script/setClockOffset', ms),
      held: () => call<Held[]>('script/held'),
      waitForHeld: (name: string, timeoutMs = 5000) => call<Held>('script/waitForHeld', name, timeoutMs),
      release: (name?: string) => call<number>('script/release', name),
    },
    ledger: {
      entries: (since = 0) => call<LedgerEntry[]>('ledger/entries', since),
      waitFor: (predicate: (entry: LedgerEntry) => boolean, timeoutMs = 5000) => {
        return waitFor((since, ms) => call('ledger/entriesAfter', since, ms), predicate, timeoutMs)
      },
      clear: () => call<null>('ledger/clear'),
      bytesStored: (prefix = '') => call<number>('ledger/bytesStored', prefix),
      objects: (prefix = '') => call<ObjectView[]>('ledger/objects', prefix),
      uploads: (prefix = '') => call<UploadView[]>('ledger/uploads', prefix),
    },
    down: () => call<null>('down'),
    up: () => call<null>('up'),
    applyLifecycle: (now: number) => call<{ expired: string[]; aborted: string[] }>('applyLifecycle', now),
  }
}

/** The predicate runs on this side, the waiting on the other. */
async function waitFor(
  entriesAfter: (since: number, timeoutMs: number) => Promise<LedgerEntry[]>,
  predicate: (entry: LedgerEntry) => boolean,
  timeoutMs: number,
): Promise<LedgerEntry> {
  const end = Date.now() + timeoutMs
  let since = 0
  for (;;) {
    const fresh = await entriesAfter(since, Math.max(end - Date.now(), 0))
    const found = fresh.find(predicate)
    if (found) return found
    since = fresh.at(-1)?.seq ?? since
    if (Date.now() >= end) throw new Error(`No such request within ${timeoutMs} ms`)
  }
}
