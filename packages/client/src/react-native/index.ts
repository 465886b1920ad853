/**
 * Upload engine for React Native: files by URI, unfinished uploads in AsyncStorage, XMLHttpRequest.
 * Hermes has no `crypto.getRandomValues`: import react-native-get-random-values first.
 */

import type { Client } from '../client.ts'
import { trpcUploadApi } from '../upload/api/trpc-upload-api.ts'
import type { Connection } from '../upload/engine/connection.ts'
import { createUploader, type UploaderOptions } from '../upload/engine/uploader.ts'
import { xhrTransport } from '../upload/transport/xhr-transport.ts'
import type { Uploader } from '../upload/types.ts'
import { type AsyncStorageLike, asyncStorageStore } from './async-storage-store.ts'

export type { Connection } from '../upload/engine/connection.ts'
export type * from '../upload/types.ts'
export { type AsyncStorageLike, asyncStorageStore } from './async-storage-store.ts'
export { type PickedFile, uriSource } from './uri-source.ts'

export type ReactNativeUploaderOptions = Partial<UploaderOptions> & {
  /** AsyncStorage. Without it, unfinished uploads are lost when the app ends. */
  storage?: AsyncStorageLike
  /** Connection from NetInfo. Without it, the device counts as online, and calls are retried. */
  connection?: Connection
}

export function createReactNativeUploader(
  client: Client,
  { storage, ...options }: ReactNativeUploaderOptions = {},
): Uploader {
  return createUploader({
    api: trpcUploadApi(client),
    transport: xhrTransport(),
    ...(storage && { store: asyncStorageStore(storage) }),
    ...options,
  })
}
