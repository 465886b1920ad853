import { memoryStore } from '../upload/resume/memory-store.ts'
import type { UnfinishedUpload, UnfinishedUploadStore } from '../upload/types.ts'

/** The part of @react-native-async-storage/async-storage that this package uses. */
export type AsyncStorageLike = {
  getItem(key: string): Promise<string | null>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  getAllKeys(): Promise<readonly string[]>
}

const PREFIX = 'pigeonhole-upload:'

/** Keeps unfinished uploads in AsyncStorage, one per key. An app is one process, so files are locked in memory. */
export function asyncStorageStore(storage: AsyncStorageLike): UnfinishedUploadStore {
  const { claim } = memoryStore()
  const get = async (key: string): Promise<UnfinishedUpload | undefined> => {
    const text = await storage.getItem(key)
    return text === null ? undefined : JSON.parse(text)
  }
  return {
    claim,
    get: (fingerprint) => get(PREFIX + fingerprint),
    // Attachments are file URIs here, so they survive JSON.
    put: (entry) => storage.setItem(PREFIX + entry.fingerprint, JSON.stringify(entry)),
    remove: (fingerprint) => storage.removeItem(PREFIX + fingerprint),
    async list() {
      const keys = (await storage.getAllKeys()).filter((key) => key.startsWith(PREFIX))
      const entries = await Promise.all(keys.map(get))
      return entries.filter((entry) => entry !== undefined)
    },
  }
}
