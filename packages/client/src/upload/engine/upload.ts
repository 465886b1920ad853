import { asUploadError, type SignedOutError, type UploadError } from '../errors.ts'
import { runUpload } from '../flows/run-upload.ts'
import { Progress, secondsLeft } from '../progress/progress.ts'
import { Subject } from '../progress/subject.ts'
import { UploadRecord } from '../resume/upload-record.ts'
import type {
  PauseReason,
  RetryWait,
  UnfinishedUploadStore,
  UploadedFile,
  UploadFailure,
  UploadHandle,
  UploadOptions,
  UploadSnapshot,
  UploadSource,
  UploadState,
} from '../types.ts'
import { mimeTypeOf } from '../validation/mime-type.ts'
import { validateFile, validateName } from '../validation/validate-file.ts'
import { PauseController } from './pause-controller.ts'
import type { RulesCache } from './rules-cache.ts'
import type { UploadContext, UploadResources } from './upload-context.ts'
import type { UsageCache } from './usage-cache.ts'

/** An upload's view of its uploader. */
export type UploaderPort = {
  resources: UploadResources
  store: UnfinishedUploadStore
  /** Name of the server, so that an upload to one server is not continued on another. */
  scope: string
  usage: UsageCache
  rules: RulesCache
  /** Queues the upload. If `first`, it starts before uploads that never started. */
  enqueue(upload: Upload, first: boolean): void
  /** Removes the upload from the queue and lets the next one start. */
  dequeue(upload: Upload): void
  signedOut(error: SignedOutError): void
  signedIn(): void
  changed(): void
  progressed(): void
}

type Phase = Exclude<UploadState, 'pausing' | 'paused'>

const ENDED: ReadonlySet<UploadState> = new Set(['done', 'failed', 'cancelled'])
let lastId = 0

/** One file of an uploader: its state and controls. The work is in `runUpload`. */
export class Upload implements UploadHandle {
  readonly id = `upload-${++lastId}`
  readonly pauseController = new PauseController(() => this.#changed())
  readonly source: UploadSource
  readonly mimeType: string
  readonly #options: UploadOptions
  readonly #uploader: UploaderPort
  readonly #record: UploadRecord
  readonly #subject: Subject<UploadSnapshot>
  #phase: Phase = 'queued'
  /** True if the user resumed the upload and it waits in the queue. */
  #resuming = false
  #progress: Progress
  #error: UploadError | null = null
  /** Why the server rejected the token, while the upload is paused for that. */
  #rejection: UploadFailure | null = null
  #warning: string | null = null
  #file: UploadedFile | null = null
  #resumedBytes = 0
  readonly #waits = new Set<RetryWait>()
  #end = new AbortController()
  #running: Promise<void> | undefined
  #settling: ((snapshot: UploadSnapshot) => void)[] = []

  constructor(
    source: UploadSource,
    uploader: UploaderPort,
    options: UploadOptions,
    requestedFileId?: string,
  ) {
    this.source = source
    this.#options = options
    this.#uploader = uploader
    this.mimeType = mimeTypeOf(source.name, source.type)
    this.#record = new UploadRecord(
      source,
      this.mimeType,
      { ...uploader, ...uploader.resources, ...options },
      requestedFileId,
    )
    this.#progress = new Progress(() => this.#progressed())
    const file = { name: source.name, mimeType: this.mimeType, size: source.size }
    // The rules of a policy are checked when the upload starts.
    const rejection = options.policy === undefined ? validateFile(file) : validateName(file)
    if (rejection) {
      this.#phase = 'failed'
      this.#error = rejection
    }
    this.#subject = new Subject(() => this.#snapshot())
  }

  get subscribe() {
    return this.#subject.subscribe
  }

  get getSnapshot() {
    return this.#subject.getSnapshot
  }

  get state(): UploadState {
    if (ENDED.has(this.#phase)) return this.#phase
    if (this.pauseController.has('user')) {
      if (this.#resuming) return 'queued'
      return this.pauseController.isSending ? 'pausing' : 'paused'
    }
    if (this.#phase === 'queued') return 'queued'
    return this.pauseController.reason === null ? this.#phase : 'paused'
  }

  get ended(): boolean {
    return ENDED.has(this.#phase)
  }

  /** True if the user paused the upload and has not resumed it. Without network or session, others are `paused` too. */
  get isPausedByUser(): boolean {
    return this.pauseController.has('user') && !this.#resuming
  }

  /** True if `pause` can keep the upload from sending. Nothing is left to send once the server verifies. */
  get isPausable(): boolean {
    if (this.ended || this.isPausedByUser) return false
    return this.#phase !== 'verifying' || this.#resuming
  }

  get fileId(): string | null {
    return this.#record.fileId
  }

  pause(): void {
    if (this.state === 'pausing') {
      this.interrupt()
      return
    }
    if (!this.isPausable) return
    this.#resuming = false
    this.pauseFor('user')
    this.#uploader.dequeue(this)
  }

  resume(): void {
    if (this.ended) return
    if (this.pauseController.has('signed-out')) this.#uploader.signedIn()
    if (!this.pauseController.has('user') || this.#resuming) return
    this.#resuming = true
    this.#uploader.enqueue(this, this.#phase !== 'queued')
    this.#changed()
  }

  retry(): void {
    if (this.#phase !== 'failed' || !this.#error?.retryable) return
    this.#phase = 'queued'
    this.#error = null
    this.#uploader.enqueue(this, false)
    this.#changed()
  }

  cancel(): void {
    if (this.#phase === 'done' || this.#phase === 'cancelled') return
    this.#phase = 'cancelled'
    this.#error = null
    this.#end.abort(new Error('The upload was canceled'))
    this.#uploader.dequeue(this)
    // A running call could still open an upload on the server: wait for it, then abort.
    const before = this.#running
    this.#running = (async () => {
      await before
      await this.#record.abort()
    })()
    this.#settle()
  }

  settled(): Promise<UploadSnapshot> {
    if (this.ended) return Promise.resolve(this.getSnapshot())
    return new Promise((resolve) => this.#settling.push(resolve))
  }

  /** Starts or continues the upload. Called by the uploader. */
  start(): void {
    this.#resuming = false
    if (this.#phase === 'queued') {
      this.#phase = 'starting'
      const before = this.#running
      this.#running = (async () => {
        await before
        await this.#run()
      })()
    }
    this.endPause('user')
    this.#changed()
  }

  pauseFor(reason: PauseReason): void {
    this.pauseController.pause(reason)
    this.#progress.resetSpeed()
    this.#changed()
  }

  /** Ends the PUTs of a paused upload that are still in flight. */
  interrupt(): void {
    if (!this.pauseController.isSending) return
    this.pauseController.interrupt()
    this.#changed()
  }

  pauseSignedOut({ message }: SignedOutError): void {
    this.#rejection = { code: 'SIGNED_OUT', message, retryable: false }
    this.pauseFor('signed-out')
  }

  endPause(reason: PauseReason): void {
    if (!this.pauseController.has(reason)) return
    this.pauseController.resume(reason)
    this.#changed()
  }

  /** Publishes the speed again, because it falls while nothing is sent. */
  refreshSpeed(): void {
    this.#subject.publishProgress()
  }

  /** Stops the work and keeps everything that another run needs. */
  async stop(): Promise<void> {
    if (!this.ended) this.pauseFor('user')
    this.#end.abort(new Error('The uploader was closed'))
    await this.#running
    this.#record.release()
    this.#subject.stop()
  }

  async #run(): Promise<void> {
    this.#end = new AbortController()
    this.#progress = new Progress(() => this.#progressed())
    const { signal } = this.#end
    try {
      const file = await runUpload(this.#context(signal), this.#record, this.#uploader)
      if (signal.aborted) return
      await this.#record.finish()
      // Canceled meanwhile: `cancel` aborts it after this run.
      if (this.#phase === 'cancelled') return
      this.#file = file
      this.#phase = 'done'
    } catch (error) {
      if (signal.aborted) return
      this.#error = asUploadError(error)
      this.#phase = 'failed'
      // The server's error is final: nothing is left to continue.
      if (this.#error.code === 'BAD_REQUEST' || this.#error.code === 'NOT_FOUND') await this.#record.clear()
      this.#record.release()
    }
    this.#uploader.dequeue(this)
    this.#settle()
  }

  #context(signal: AbortSignal): UploadContext {
    return {
      ...{ source: this.source, pauseController: this.pauseController, progress: this.#progress, signal },
      resources: this.#uploader.resources,
      ...{ mimeType: this.mimeType, options: this.#options },
      on: {
        serverUpload: (fileId, kind) => this.#record.save(fileId, kind).finally(() => this.#changed()),
        resumed: (bytes) => {
          this.#resumedBytes = bytes
        },
        serverUploadLost: () => this.#record.clear(),
        uploading: () => this.#enter('uploading'),
        verifying: () => this.#enter('verifying'),
        warning: (message) => {
          this.#warning = message
          this.#changed()
        },
        signedOut: (error) => this.#uploader.signedOut(error),
        waiting: (wait) => this.#wait(wait),
      },
    }
  }

  #wait(wait: RetryWait): () => void {
    this.#waits.add(wait)
    this.#changed()
    return () => {
      this.#waits.delete(wait)
      this.#changed()
    }
  }

  /** Next attempt, if all work of this upload waits for one. */
  get #nextRetry(): RetryWait | null {
    if (this.#waits.size === 0 || this.#waits.size < this.pauseController.attempts) return null
    return [...this.#waits].reduce((first, wait) => (wait.at < first.at ? wait : first))
  }

  #enter(phase: Phase): void {
    if (this.ended) return
    this.#phase = phase
    this.#changed()
  }

  #settle(): void {
    this.#changed()
    for (const resolve of this.#settling.splice(0)) resolve(this.getSnapshot())
  }

  #changed(): void {
    // In one task with the uploader's totals, so that a page never shows a finished upload that they do not count.
    if (this.state === 'done') this.#subject.publishSoon()
    else this.#subject.publish()
    this.#uploader.changed()
  }

  #progressed(): void {
    this.#subject.publishProgress()
    this.#uploader.progressed()
  }

  #snapshot(): UploadSnapshot {
    const { source, state } = this
    const isPaused = state === 'pausing' || state === 'paused'
    const pauseReason = isPaused ? this.pauseController.reason : null
    const bytesSent = state === 'done' ? source.size : Math.min(source.size, this.#progress.bytesSent)
    const speed = state === 'uploading' ? this.#progress.bytesPerSecond : 0
    return Object.freeze({
      id: this.id,
      name: source.name,
      mimeType: this.mimeType,
      size: source.size,
      state,
      pauseReason,
      bytesSent,
      bytesToResend: ENDED.has(state) ? 0 : this.#progress.bytesToResend,
      speedBytesPerSecond: speed,
      secondsLeft: state === 'uploading' ? secondsLeft(source.size - bytesSent, speed) : null,
      error: pauseReason === 'signed-out' ? this.#rejection : (this.#error?.failure ?? null),
      nextAttempt: ENDED.has(state) || isPaused ? null : this.#nextRetry,
      warning: this.#warning,
      fileId: this.#record.fileId,
      resumedBytes: this.#resumedBytes,
      file: this.#file,
    })
  }
}
