import { type Client, createClient } from '@pigeonhole/client'
import {
  browserResumeStore,
  createBrowserUploader,
  createUploader,
  type Uploader,
  uploadApi,
} from '@pigeonhole/client/browser'

/** What the pages of one signed-in person work with. */
export type Engine = { client: Client; uploader: Uploader }

/** In a browser the real ones; while the server renders, a queue that stays empty. */
export function createEngine(userId: string): Engine {
  const client = createClient()
  if (typeof window === 'undefined') {
    const nowhere = { put: () => Promise.reject(new Error('There is nothing to send on the server')) }
    return { client, uploader: createUploader({ api: uploadApi(client), transport: nowhere }) }
  }
  return {
    client,
    uploader: createBrowserUploader(client, { resumeStore: browserResumeStore(userId), scope: userId }),
  }
}
