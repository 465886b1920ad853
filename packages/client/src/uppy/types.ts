/** The part of Uppy 5's types that is used, so that this package does not depend on Uppy. */

export type UppyFileLike = {
  id: string
  name?: string
  type?: string
  size: number | null
  error?: string | null
}

export type UppyLike<File extends UppyFileLike = UppyFileLike> = {
  getFile(id: string): File | undefined
  setFileState(id: string, state: Record<string, unknown>): void
  emit(
    event: 'postprocess-progress',
    file: UppyFileLike,
    progress: { mode: 'indeterminate'; message: string },
  ): unknown
  emit(event: 'postprocess-complete', file: UppyFileLike | undefined): unknown
  emit(event: 'upload-error', file: UppyFileLike, error: Error): unknown
  on(event: 'file-removed', callback: (file: UppyFileLike) => void): unknown
  addPostProcessor(run: (fileIds: string[]) => Promise<unknown>): void
}

/** The options of @uppy/aws-s3 5 that this package sets. */
export type AwsS3Options = {
  shouldUseMultipart(file: UppyFileLike): boolean
  getChunkSize(file: { size: number }): number
  getUploadParameters(file: UppyFileLike): Promise<PresignedPut>
  createMultipartUpload(file: UppyFileLike): Promise<{ uploadId: string; key: string }>
  signPart(file: UppyFileLike, part: { partNumber: number }): Promise<PresignedPut>
  listParts(file: UppyFileLike): Promise<{ PartNumber: number; Size: number; ETag: string }[]>
  completeMultipartUpload(file: UppyFileLike): Promise<{ location: string }>
  abortMultipartUpload(file: UppyFileLike, upload: { uploadId?: string }): Promise<void>
}

export type PresignedPut = { method: 'PUT'; url: string; headers: Record<string, string> }
