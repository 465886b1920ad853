import { type Client, createClient } from '@pigeonhole/client'
import { browserStore } from '@pigeonhole/client/browser'
import { createLazyUploader, type LazyUploader } from './lazy-uploader.ts'

/** The API client and the upload queue. */
export type Clients = { client: Client; uploader: LazyUploader }

/** Creates the clients. During server-side rendering, the upload queue is empty. */
export function createClients(userId: string): Clients {
  const client = createClient()
  const store = browserStore(userId)
  const load = async () => (await import('./upload-engine.ts')).createUploadEngine(client, userId, store)
  return { client, uploader: createLazyUploader(load, store) }
}
