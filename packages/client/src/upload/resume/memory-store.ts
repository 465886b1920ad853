import type { UnfinishedUpload, UnfinishedUploadStore } from '../types.ts'

/** Keeps unfinished uploads for the lifetime of the page or process. */
export function memoryStore(): UnfinishedUploadStore {
  const entries = new Map<string, UnfinishedUpload>()
  const claimed = new Set<string>()
  return {
    get: async (fingerprint) => entries.get(fingerprint),
    put: async (entry) => void entries.set(entry.fingerprint, entry),
    remove: async (fingerprint) => void entries.delete(fingerprint),
    list: async () => [...entries.values()],
    claim: async (fingerprint) => {
      if (claimed.has(fingerprint)) return undefined
      claimed.add(fingerprint)
      return () => void claimed.delete(fingerprint)
    },
  }
}
