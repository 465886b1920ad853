import type { Client } from '../client.ts'
import { fileResumeStore } from './resume-store-file.ts'
import { nodeTransport } from './transport-node.ts'
import { uploadApi } from './trpc-api.ts'
import type { Uploader } from './types.ts'
import { createUploader, type UploaderOptions } from './uploader.ts'

export { fileSource } from './source-file.ts'

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
