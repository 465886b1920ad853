import type { Client } from '../client.ts'
import { trpcUploadApi } from './api/trpc-upload-api.ts'
import { alwaysOnline, browserConnection } from './engine/connection.ts'
import { createUploader, type UploaderOptions } from './engine/uploader.ts'
import { browserStore } from './resume/browser-store.ts'
import { blobSource } from './sources/blob-source.ts'
import { xhrTransport } from './transport/xhr-transport.ts'
import type { UnfinishedUpload, Uploader, UploadSource } from './types.ts'

export { trpcUploadApi } from './api/trpc-upload-api.ts'
export { createUploader, type UploaderOptions } from './engine/uploader.ts'
export { browserStore } from './resume/browser-store.ts'
export { blobSource } from './sources/blob-source.ts'
export { browserThumbnail } from './sources/browser-thumbnail.ts'
export { xhrTransport } from './transport/xhr-transport.ts'
export type * from './types.ts'
export { mimeTypeOf } from './validation/mime-type.ts'
export { checkQuota, validateFile } from './validation/validate-file.ts'

/** Creates an uploader for pages: XMLHttpRequest, IndexedDB, Web Locks, online and offline events. */
export function createBrowserUploader(client: Client, options: Partial<UploaderOptions> = {}): Uploader {
  return createUploader({
    api: trpcUploadApi(client),
    transport: xhrTransport(),
    store: browserStore(),
    // A server that renders the page also loads the module that creates the uploader.
    connection: typeof window === 'undefined' ? alwaysOnline : browserConnection,
    ...options,
  })
}

/**
 * Reopens the file of an unfinished upload. Works if the browser provided a handle when the user chose the file
 * (Chromium's pickers and drops). Call it in a click handler, because it can ask for permission. Returns null if the
 * user must choose the file again.
 */
export async function reopen(entry: UnfinishedUpload): Promise<UploadSource | null> {
  const handle = entry.attachment as Partial<PermissionedHandle> | undefined
  if (typeof handle?.getFile !== 'function') return null
  try {
    if ((await handle.requestPermission?.({ mode: 'read' })) === 'denied') return null
    return blobSource(await handle.getFile(), handle as FileSystemFileHandle)
  } catch (error) {
    // The file was moved or deleted, or the permission has ended.
    if (error instanceof DOMException) return null
    throw error
  }
}

/** Handle with Chromium's `requestPermission`, which TypeScript's library lacks. */
type PermissionedHandle = FileSystemFileHandle & {
  requestPermission(options: { mode: 'read' }): Promise<PermissionState>
}
