import { type Client, createClient } from '@pigeonhole/client'
import {
  browserStore,
  browserThumbnail,
  createBrowserUploader,
  createUploader,
  trpcUploadApi,
  type Uploader,
} from '@pigeonhole/client/browser'
import { createPushDevice, type PushDevice } from '@pigeonhole/client/push'

/** The API client, the upload queue, and this browser as a push device of the signed-in user. */
export type Clients = { client: Client; uploader: Uploader; pushDevice: PushDevice }

/** Creates the clients. During server-side rendering, the upload queue is empty and cannot send anything. */
export function createClients(userId: string): Clients {
  const client = createClient()
  const pushDevice = createPushDevice({ client })
  if (typeof window === 'undefined') {
    const transport = { put: () => Promise.reject(new Error('Uploads need a browser')) }
    return { client, uploader: createUploader({ api: trpcUploadApi(client), transport }), pushDevice }
  }
  return {
    client,
    uploader: createBrowserUploader(client, {
      store: browserStore(userId),
      scope: userId,
      makeThumbnail: browserThumbnail,
    }),
    pushDevice,
  }
}
