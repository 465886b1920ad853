import type { Client } from '../client.ts'
import { uploadApi } from './api/trpc-upload-api.ts'
import { createUploader, type UploaderOptions } from './engine/uploader.ts'
import { fileResumeStore } from './resume/file-store.ts'
import { nodeTransport } from './transport/node-transport.ts'
import type { Uploader } from './types.ts'

export { uploadApi } from './api/trpc-upload-api.ts'
export { createUploader, type UploaderOptions } from './engine/uploader.ts'
export { fileResumeStore } from './resume/file-store.ts'
export { fileSource } from './sources/file-source.ts'
export { nodeTransport } from './transport/node-transport.ts'
export type * from './types.ts'
export { mimeTypeOf } from './validation/mime-type.ts'
export { quotaRefusal, refusalOf } from './validation/validate-file.ts'

export type NodeUploaderOptions = Partial<UploaderOptions> & {
  /** Where unfinished uploads are remembered; without it they are not. */
  stateDir?: string
}

/** The engine for Node: node:http straight from the disk. `close` also ends the kept connections. */
export function createNodeUploader(client: Client, options: NodeUploaderOptions = {}): Uploader {
  const { stateDir, ...rest } = options
  const transport = nodeTransport()
  const uploader = createUploader({
    api: uploadApi(client),
    transport,
    ...(stateDir !== undefined && { resumeStore: fileResumeStore(stateDir) }),
    ...rest,
  })
  const close = uploader.close.bind(uploader)
  uploader.close = async () => {
    await close()
    transport.close()
  }
  return uploader
}
