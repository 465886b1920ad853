import { memoryResumeStore } from './resume-store-memory.ts'
import type { ResumeEntry, ResumeStore } from './types.ts'

const DATABASE = 'pigeonhole-uploads'
const STORE = 'unfinished'
/** A browser that does not answer (another tab blocks, private mode) must not hold an upload up. */
const PATIENCE_MS = 2000

/** In IndexedDB, which keeps file handles too; where there is none, in memory. */
export function browserResumeStore(): ResumeStore {
  if (typeof indexedDB === 'undefined') return memoryResumeStore()
  let opened: Promise<IDBDatabase> | undefined
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    opened ??= open()
    opened.catch(() => {
      opened = undefined
    })
    const transaction = (await opened).transaction(STORE, mode)
    return settled(work(transaction.objectStore(STORE)))
  }
  return {
    get: (fingerprint) => run<ResumeEntry | undefined>('readonly', (store) => store.get(fingerprint)),
    put: async (entry) => {
      await run('readwrite', (store) => store.put(entry)).catch(() => {
        // An attachment that cannot be cloned is not worth the rest.
        const { attachment: _, ...plain } = entry
        return run('readwrite', (store) => store.put(plain))
      })
    },
    remove: async (fingerprint) => {
      await run('readwrite', (store) => store.delete(fingerprint))
    },
    list: () => run<ResumeEntry[]>('readonly', (store) => store.getAll()),
    claim: claimByLock,
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'fingerprint' })
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('IndexedDB does not answer')), PATIENCE_MS)
    request.onsuccess = () => {
      clearTimeout(timer)
      resolve(request.result)
    }
    request.onerror = () => {
      clearTimeout(timer)
      reject(request.error)
    }
  })
}

const claimedHere = new Set<string>()

/** A Web Lock, which ends with its tab. Pages over plain http have none: then only this tab is looked at. */
async function claimByLock(fingerprint: string): Promise<(() => void) | undefined> {
  if (claimedHere.has(fingerprint)) return undefined
  claimedHere.add(fingerprint)
  const release = await lock(`pigeonhole-upload-${fingerprint}`)
  if (!release) claimedHere.delete(fingerprint)
  return (
    release &&
    (() => {
      claimedHere.delete(fingerprint)
      release()
    })
  )
}

function lock(name: string): Promise<(() => void) | undefined> {
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (granted) => {
        if (!granted) return resolve(undefined)
        return new Promise<void>((release) => resolve(release))
      })
      .catch(reject)
  })
}
