import type { Client } from '../client.ts'
import { trpcUploadApi } from './api/trpc-upload-api.ts'
import { createUploader, type UploaderOptions } from './engine/uploader.ts'
import { fileStore } from './resume/file-store.ts'
import { nodeTransport } from './transport/node-transport.ts'
import type { Uploader } from './types.ts'

export { trpcUploadApi } from './api/trpc-upload-api.ts'
export { createUploader, type UploaderOptions } from './engine/uploader.ts'
export { fileStore } from './resume/file-store.ts'
export { fileSource } from './sources/file-source.ts'
export { nodeTransport } from './transport/node-transport.ts'
export type * from './types.ts'
export { mimeTypeOf } from './validation/mime-type.ts'
export { checkQuota, validateFile } from './validation/validate-file.ts'

export type NodeUploaderOptions = Partial<UploaderOptions> & {
  /** Folder for unfinished uploads. Default: in memory only. */
  stateDir?: string
}

/** Creates an uploader for Node: node:http, directly from the disk. `close` also ends idle connections. */
export function createNodeUploader(client: Client, options: NodeUploaderOptions = {}): Uploader {
  const { stateDir, ...rest } = options
  const transport = nodeTransport()
  const uploader = createUploader({
    api: trpcUploadApi(client),
    transport,
    ...(stateDir !== undefined && { store: fileStore(stateDir) }),
    ...rest,
  })
  const close = uploader.close.bind(uploader)
  uploader.close = async () => {
    await close()
    transport.close()
  }
  return uploader
}
