import { type Client, createClient } from '@pigeonhole/client'
import {
  browserStore,
  browserThumbnail,
  createBrowserUploader,
  createUploader,
  trpcUploadApi,
  type Uploader,
} from '@pigeonhole/client/browser'

/** The API client and the upload queue. */
export type Clients = { client: Client; uploader: Uploader }

/** Creates the clients. During server-side rendering, the upload queue is empty and cannot send anything. */
export function createClients(userId: string): Clients {
  const client = createClient()
  if (typeof window === 'undefined') {
    const transport = { put: () => Promise.reject(new Error('Uploads need a browser')) }
    return { client, uploader: createUploader({ api: trpcUploadApi(client), transport }) }
  }
  return {
    client,
    uploader: createBrowserUploader(client, {
      store: browserStore(userId),
      scope: userId,
      makeThumbnail: browserThumbnail,
    }),
  }
}
