/**
 * Uploader plugin for Uppy 5 and 6: `uppy.use(Pigeonhole, { client })`. The engine of this package sends the files, so
 * stored parts are not sent again after a pause, a retry or a reload.
 */

import { BasePlugin, type Body, type Meta, type PluginOpts, type Uppy, type UppyFile } from '@uppy/core'
import type { Client } from '../client.ts'
import { createBrowserUploader, type UploaderOptions } from '../upload/browser.ts'
import { UploadError } from '../upload/errors.ts'
import { blobSource } from '../upload/sources/blob-source.ts'
import type { UploadedFile, Uploader, UploadHandle, UploadOptions, UploadSource } from '../upload/types.ts'

declare module '@uppy/core' {
  // Types `uppy.getPlugin('Pigeonhole')`.
  export interface PluginTypeRegistry<M extends Meta, B extends Body> {
    Pigeonhole: Pigeonhole<M, B>
  }
}

/** Options of the plugin: `client`, policy and data of the uploads, and the options of `createBrowserUploader`. */
export type PigeonholeOptions<M extends Meta, B extends Body> = PluginOpts &
  Omit<Partial<UploaderOptions>, 'data'> & {
    client: Client
    /** Your app's own values, for all files or for each, for example `(file) => ({ album: file.meta.album })`. */
    data?: UploadOptions['data'] | ((file: UppyFile<M, B>) => UploadOptions['data'])
  }

/** Body of the response in `upload-success` and `file.response`: `{ id, filename, url, state? }`. */
export type PigeonholeBody = UploadedFile & Body

/** Kept in Uppy's state, so that an upload that Golden Retriever restores can be aborted on the server. */
type WithFileId = { pigeonhole?: { fileId: string } }

/** Uploads the files of an Uppy instance to a Pigeonhole server. */
export class Pigeonhole<M extends Meta, B extends Body> extends BasePlugin<PigeonholeOptions<M, B>, M, B> {
  #uploader: Uploader | undefined
  /** Uploads by the ID of their Uppy file, until they are done or removed. A retry replaces a failed one. */
  readonly #uploads = new Map<string, UploadHandle>()
  #stop: () => void = () => {}
  #stopped = Promise.resolve()

  constructor(uppy: Uppy<M, B>, options: PigeonholeOptions<M, B>) {
    super(uppy, options)
    this.type = 'uploader'
    this.id = options.id ?? 'Pigeonhole'
  }

  override install(): void {
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve
    })
    this.#setResumable(true)
    this.uppy.addUploader(this.#uploadAll)
    this.uppy.on('upload-pause', this.#pauseOrResume)
    this.uppy.on('pause-all', this.#pauseAll)
    this.uppy.on('resume-all', this.#resumeAll)
    this.uppy.on('file-removed', this.#cancel)
  }

  /** Stops all uploads and keeps what another page needs to continue them. */
  override uninstall(): void {
    this.#setResumable(false)
    this.uppy.removeUploader(this.#uploadAll)
    this.uppy.off('upload-pause', this.#pauseOrResume)
    this.uppy.off('pause-all', this.#pauseAll)
    this.uppy.off('resume-all', this.#resumeAll)
    this.uppy.off('file-removed', this.#cancel)
    this.#uploads.clear()
    void this.#uploader?.close()
    this.#uploader = undefined
    this.#stop()
  }

  /** Returns the uploader, created on first use: servers that render a page also install its plugins. */
  #open(): Uploader {
    const { client, id: _, locale: _locale, policy: _policy, data: _data, ...options } = this.opts
    this.#uploader ??= createBrowserUploader(client, options)
    return this.#uploader
  }

  readonly #pauseAll = (): void => this.#uploader?.pauseAll()
  readonly #resumeAll = (): void => this.#uploader?.resumeAll()

  readonly #pauseOrResume = (file: UppyFile<M, B> | undefined, isPaused: boolean): void => {
    const handle = file && this.#uploads.get(file.id)
    if (isPaused) handle?.pause()
    else handle?.resume()
  }

  readonly #cancel = (file: UppyFile<M, B>): void => {
    const handle = this.#uploads.get(file.id)
    if (handle) {
      this.#forget(file.id, handle)
      handle.cancel()
      this.#uploader?.remove(handle)
    } else if (!file.progress.uploadComplete) void this.#discard((file as WithFileId).pigeonhole?.fileId)
  }

  /** Aborts an upload of an earlier page, unless another tab continues it. */
  async #discard(fileId: string | undefined): Promise<void> {
    if (fileId === undefined) return
    try {
      const uploader = this.#open()
      const entry = (await uploader.unfinished()).find((one) => one.fileId === fileId)
      if (entry) await uploader.discard(entry)
    } catch (error) {
      // The server's sweeper expires the upload.
      this.uppy.log(error, 'warning')
    }
  }

  readonly #uploadAll = async (fileIds: string[]): Promise<void> => {
    const files = this.uppy
      .getFilesByIds(fileIds)
      .filter((file) => file && !file.error && !file.progress.uploadComplete)
    // Keep the progress of restored files.
    const fresh = files.filter((file) => !file.progress.uploadStarted || !file.isRestored)
    this.uppy.emit('upload-start', fresh)
    await Promise.all(files.map((file) => this.#upload(file)))
  }

  /** Resolves when the upload has ended in any way. Reports failures as Uppy's events. */
  async #upload(file: UppyFile<M, B>): Promise<void> {
    const uploader = this.#open()
    const failed = this.#uploads.get(file.id)
    if (failed) uploader.remove(failed)
    let handle: UploadHandle
    try {
      const { policy, data } = this.opts
      handle = uploader.upload(sourceOf(file), {
        policy,
        data: typeof data === 'function' ? data(file) : data,
      })
    } catch (error) {
      this.uppy.emit('upload-error', file, error as Error)
      return
    }
    this.#uploads.set(file.id, handle)
    if (file.isPaused) handle.pause()
    let stalledFor: string | undefined
    const report = () => {
      stalledFor = this.#report(file.id, handle, stalledFor)
    }
    report()
    const unsubscribe = handle.subscribe(report)
    const ended = await Promise.race([handle.settled(), this.#stopped])
    unsubscribe()
    const current = this.uppy.getFile(file.id)
    if (!ended || !current) return
    if (ended.file) {
      this.#forget(file.id, handle)
      uploader.remove(handle)
      const body: PigeonholeBody = { ...ended.file }
      this.uppy.emit('upload-success', current, {
        status: 200,
        uploadURL: ended.file.url,
        body: body as unknown as B,
      })
    } else if (ended.error) {
      const { code, message } = ended.error
      this.uppy.emit('upload-error', current, new UploadError(code, message, ended.error))
    }
  }

  /** Copies the upload's state to Uppy. Returns why it makes no progress, so that each reason is shown once. */
  #report(id: string, handle: UploadHandle, stalledFor: string | undefined): string | undefined {
    const file = this.uppy.getFile(id)
    const { state, pauseReason, bytesSent, size, fileId, error, nextAttempt } = handle.getSnapshot()
    if (!file || state === 'done' || state === 'failed' || state === 'cancelled') return undefined
    const isPaused = (state === 'pausing' || state === 'paused') && pauseReason !== 'offline'
    const isNew = fileId !== null && fileId !== (file as WithFileId).pigeonhole?.fileId
    if (isPaused !== (file.isPaused ?? false) || isNew)
      this.uppy.setFileState(id, {
        isPaused,
        ...(isNew && { pigeonhole: { fileId } }),
      } as Partial<UppyFile<M, B>>)
    if ((state === 'uploading' || state === 'pausing') && bytesSent !== file.progress.bytesUploaded)
      this.uppy.emit('upload-progress', this.uppy.getFile(id), {
        uploadStarted: file.progress.uploadStarted ?? Date.now(),
        bytesUploaded: bytesSent,
        bytesTotal: size,
      })
    const reason = (pauseReason === 'signed-out' ? error : nextAttempt?.reason)?.message
    if (reason !== undefined && reason !== stalledFor)
      this.uppy.emit('upload-stalled', { message: reason }, [file])
    return reason
  }

  /** A file can have been removed and added again in the meantime: its new upload stays. */
  #forget(id: string, handle: UploadHandle): void {
    if (this.#uploads.get(id) === handle) this.#uploads.delete(id)
  }

  #setResumable(resumableUploads: boolean): void {
    const { capabilities } = this.uppy.getState()
    this.uppy.setState({ capabilities: { ...capabilities, resumableUploads } })
  }
}

/** @throws Error for users if the file's bytes are not in this page */
function sourceOf<M extends Meta, B extends Body>(file: UppyFile<M, B>): UploadSource {
  if (file.isRemote)
    throw new Error('Files from other services cannot be uploaded here. Download the file, then choose it.')
  const { data } = file
  if (!data) throw new Error('This page no longer has the file. Choose it again to continue.')
  return {
    ...blobSource(data as File),
    name: file.meta.name || file.name,
    type: file.type,
    lastModified: data instanceof File ? data.lastModified : 0,
  }
}
