import { type Client, createClient } from '@pigeonhole/client'
import { browserStore, type UnfinishedUploadStore } from '@pigeonhole/client/browser'
import { createLazyUploader, type LazyUploader } from './lazy-uploader.ts'

/** The API client, the upload queue and its store of unfinished uploads. */
export type Clients = { client: Client; uploader: LazyUploader; store: UnfinishedUploadStore }

/**
 * Creates the clients. During server-side rendering, the upload queue is empty. The calls of pages go through `send`. The
 * queue has a client of its own: when the session ends, it pauses its uploads.
 */
export function createClients(userId: string, send: typeof fetch): Clients {
  const client = createClient({ fetch: send })
  const store = browserStore(userId)
  const load = async () =>
    (await import('./upload-engine.ts')).createUploadEngine(createClient(), userId, store)
  return { client, uploader: createLazyUploader(load), store }
}
