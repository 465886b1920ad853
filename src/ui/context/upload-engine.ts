import type { Client } from '@pigeonhole/client'
import { createBrowserUploader, type UnfinishedUploadStore, type Uploader } from '@pigeonhole/client/browser'
import { createThumbnail } from '../files/create-thumbnail.ts'

/** Creates the upload engine. A separate module, because it is loaded late. */
export function createUploadEngine(client: Client, userId: string, store: UnfinishedUploadStore): Uploader {
  return createBrowserUploader(client, { store, scope: userId, makeThumbnail: createThumbnail })
}
