import { type Client, createClient } from '../../../packages/client/src/client.ts'
import { createBrowserUploader } from '../../../packages/client/src/upload/browser.ts'
import { browserResumeStore } from '../../../packages/client/src/upload/resume-store-browser.ts'
import { uploadApi } from '../../../packages/client/src/upload/trpc-api.ts'
import type { Uploader } from '../../../packages/client/src/upload/types.ts'
import { createUploader } from '../../../packages/client/src/upload/uploader.ts'

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
