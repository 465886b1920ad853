import type { UnfinishedUpload, UnfinishedUploadStore } from '../types.ts'
import { memoryStore } from './memory-store.ts'

const DATABASE = 'pigeonhole-uploads'
const LOCK_PREFIX = 'pigeonhole-upload-'
const STORE = 'unfinished'
/** A browser that does not respond (blocked by another tab, private mode) must not delay an upload. */
const TIMEOUT_MS = 2000

/**
 * Keeps unfinished uploads in IndexedDB, which can also store file handles; without IndexedDB, in memory. `owner`
 * separates the uploads of users who share a browser.
 */
export function browserStore(owner = ''): UnfinishedUploadStore {
  if (typeof indexedDB === 'undefined') return memoryStore()
  let opened: Promise<IDBDatabase> | undefined
  const connect = (): Promise<IDBDatabase> => {
    const forget = (): void => {
      // A late event must not close a newer connection.
      if (opened === connection) opened = undefined
    }
    const connection = open(owner, forget)
    connection.catch(forget)
    return connection
  }
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
    isRetry = false,
  ): Promise<T> => {
    opened ??= connect()
    const connection = opened
    const database = await connection
    try {
      return await settled(work(database.transaction(STORE, mode).objectStore(STORE)))
    } catch (error) {
      if (isRetry || !hasName(error, 'InvalidStateError')) throw error
      // The browser has closed the connection.
      if (opened === connection) opened = undefined
      return run(mode, work, true)
    }
  }
  return {
    get: (fingerprint) => run<UnfinishedUpload | undefined>('readonly', (store) => store.get(fingerprint)),
    put: async (entry) => {
      await run('readwrite', (store) => store.put(entry)).catch((error: unknown) => {
        if (!hasName(error, 'DataCloneError')) throw error
        // The attachment cannot be cloned: store the rest.
        const { attachment: _, ...plain } = entry
        return run('readwrite', (store) => store.put(plain))
      })
    },
    remove: async (fingerprint) => {
      await run('readwrite', (store) => store.delete(fingerprint))
    },
    list: () => run<UnfinishedUpload[]>('readonly', (store) => store.getAll()),
    claim: claimByLock,
    claimed: claimedFingerprints,
  }
}

function hasName(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name
}

async function open(owner: string, onClose: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(owner ? `${DATABASE}-${owner}` : DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'fingerprint' })
  const database = await settled(request)
  // Browsers close connections, for example when users clear the site's data.
  database.onclose = onClose
  return database
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('IndexedDB does not respond')), TIMEOUT_MS)
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

/**
 * Claims a file with a Web Lock, which ends with its tab. Pages without https have none: they know only their own
 * uploads.
 */
async function claimByLock(fingerprint: string): Promise<(() => void) | undefined> {
  if (claimedHere.has(fingerprint)) return undefined
  claimedHere.add(fingerprint)
  let unlock: (() => void) | undefined
  try {
    unlock = await lock(LOCK_PREFIX + fingerprint)
  } finally {
    if (!unlock) claimedHere.delete(fingerprint)
  }
  return (
    unlock &&
    (() => {
      claimedHere.delete(fingerprint)
      unlock()
    })
  )
}

/** Returns the fingerprints of files that any tab is uploading; empty without Web Locks. */
async function claimedFingerprints(): Promise<Set<string>> {
  const { locks } = navigator as { locks?: LockManager }
  const { held = [] } = (await locks?.query()) ?? {}
  const names = held.map((one) => one.name ?? '').filter((name) => name.startsWith(LOCK_PREFIX))
  return new Set(names.map((name) => name.slice(LOCK_PREFIX.length)))
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
