import type { MimeType } from '../../limits.ts'
import type { UploadApi, Usage } from '../api/upload-api.ts'
import { asUploadError, type UploadError } from '../errors.ts'
import { runUpload } from '../flows/run-upload.ts'
import { secondsLeft, Tally } from '../progress/progress.ts'
import { Subject } from '../progress/subject.ts'
import { UploadRecord } from '../resume/upload-record.ts'
import type { PutLimits } from '../transport/put-chunk.ts'
import type {
  PauseReason,
  ResumeStore,
  Transport,
  UploadedFile,
  UploadHandle,
  UploadSnapshot,
  UploadSource,
  UploadState,
} from '../types.ts'
import { mimeTypeOf } from '../validation/mime-type.ts'
import { refusalOf } from '../validation/validate-file.ts'
import { Gate } from './pause-controller.ts'
import type { RetryPolicy } from './retry.ts'
import type { Slots } from './semaphore.ts'
import type { Job } from './upload-context.ts'

/** What all uploads of an uploader share. */
export type Shared = {
  api: UploadApi
  transport: Transport
  store: ResumeStore
  /** Which server, so that one's unfinished uploads are not looked for at another. */
  scope: string
  slots: Slots
  concurrency: number
  partBytes: number | undefined
  limits: PutLimits
  retry: RetryPolicy
  usage(job: Job, size: number): Promise<Usage>
  /** It wants its turn; `first`: before those that never had one. */
  enter(upload: Upload, first: boolean): void
  /** It makes place for others. */
  leave(upload: Upload): void
  signedOut(): void
  signedIn(): void
  changed(): void
  progressed(): void
}

type Phase = Exclude<UploadState, 'paused'>

const ENDED: ReadonlySet<UploadState> = new Set(['done', 'failed', 'cancelled'])
let lastId = 0

/** One file on its way: holds the state, answers the buttons, and leaves the work to `runUpload`. */
export class Upload implements UploadHandle {
  readonly id = `upload-${++lastId}`
  readonly gate = new Gate()
  readonly source: UploadSource
  readonly mimeType: string
  readonly #shared: Shared
  readonly #record: UploadRecord
  readonly #subject: Subject<UploadSnapshot>
  #phase: Phase = 'queued'
  /** Was paused, wants to go on, and waits for its turn. */
  #returning = false
  #tally: Tally
  #error: UploadError | null = null
  #warning: string | null = null
  #file: UploadedFile | null = null
  #resumedBytes = 0
  #end = new AbortController()
  #running: Promise<void> | undefined
  #settling: ((snapshot: UploadSnapshot) => void)[] = []

  constructor(source: UploadSource, shared: Shared, wantedFileId?: string) {
    this.source = source
    this.#shared = shared
    this.mimeType = mimeTypeOf(source.name, source.type)
    this.#record = new UploadRecord(source, this.mimeType, shared, wantedFileId)
    this.#tally = new Tally(() => this.#progressed())
    const refusal = refusalOf({ name: source.name, mimeType: this.mimeType, size: source.size })
    if (refusal) {
      this.#phase = 'failed'
      this.#error = refusal
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
    if (this.gate.has('user')) return this.#returning ? 'queued' : 'paused'
    if (this.#phase === 'queued') return 'queued'
    return this.gate.reason === null ? this.#phase : 'paused'
  }

  get ended(): boolean {
    return ENDED.has(this.#phase)
  }

  get fileId(): string | null {
    return this.#record.fileId
  }

  pause(): void {
    if (this.ended || this.#phase === 'verifying' || this.state === 'paused') return
    this.#returning = false
    this.hold('user')
    this.#shared.leave(this)
  }

  resume(): void {
    if (this.ended) return
    if (this.gate.has('signed-out')) this.#shared.signedIn()
    if (!this.gate.has('user') || this.#returning) return
    this.#returning = true
    this.#shared.enter(this, this.#phase !== 'queued')
    this.#changed()
  }

  retry(): void {
    if (this.#phase !== 'failed' || !this.#error?.retryable) return
    this.#phase = 'queued'
    this.#error = null
    this.#shared.enter(this, false)
    this.#changed()
  }

  cancel(): void {
    if (this.#phase === 'done' || this.#phase === 'cancelled') return
    this.#phase = 'cancelled'
    this.#error = null
    this.#end.abort(new Error('The upload was cancelled'))
    this.#shared.leave(this)
    // What was under way may still give it a place at the server, so that is waited for.
    const before = this.#running
    this.#running = (async () => {
      await before
      await this.#record.abandon()
    })()
    this.#settle()
  }

  settled(): Promise<UploadSnapshot> {
    if (this.ended) return Promise.resolve(this.getSnapshot())
    return new Promise((resolve) => this.#settling.push(resolve))
  }

  /** Its turn has come. */
  turn(): void {
    this.#returning = false
    if (this.#phase === 'queued') {
      this.#phase = 'starting'
      const before = this.#running
      this.#running = (async () => {
        await before
        await this.#run()
      })()
    }
    this.release('user')
    this.#changed()
  }

  hold(reason: PauseReason): void {
    this.gate.close(reason)
    this.#tally.rest()
    this.#changed()
  }

  release(reason: PauseReason): void {
    if (!this.gate.has(reason)) return
    this.gate.open(reason)
    this.#changed()
  }

  /** Looks at the clock: speed falls although nothing happens. */
  tick(): void {
    this.#subject.publishProgress()
  }

  /** Ends the work and keeps everything for another run. */
  async stop(): Promise<void> {
    if (!this.ended) this.hold('user')
    this.#end.abort(new Error('The uploader was closed'))
    await this.#running
    this.#record.release()
    this.#subject.stop()
  }

  async #run(): Promise<void> {
    this.#end = new AbortController()
    this.#tally = new Tally(() => this.#progressed())
    const { signal } = this.#end
    try {
      const file = await runUpload(this.#job(signal), this.#record, this.#shared, (bytes) => {
        this.#resumedBytes = bytes
      })
      if (signal.aborted) return
      await this.#record.finish()
      this.#file = file
      this.#phase = 'done'
    } catch (error) {
      if (signal.aborted) return
      this.#error = asUploadError(error)
      this.#phase = 'failed'
      // The server has said no for good: there is nothing left to go on with.
      if (this.#error.code === 'BAD_REQUEST' || this.#error.code === 'NOT_FOUND') await this.#record.forget()
      this.#record.release()
    }
    this.#shared.leave(this)
    this.#settle()
  }

  #job(signal: AbortSignal): Job {
    const { api, transport, slots, concurrency, partBytes, limits, retry } = this.#shared
    const tally = this.#tally
    return {
      ...{ api, transport, slots, concurrency, partBytes, limits, tally, signal },
      ...{ source: this.source, gate: this.gate },
      // Any other was refused by the constructor.
      mimeType: this.mimeType as MimeType,
      persistence: {
        ...{ gate: this.gate, signal, retry },
        successes: () => tally.successes,
        onSignedOut: () => this.#shared.signedOut(),
      },
      on: {
        place: (fileId, kind) => this.#record.place(fileId, kind).finally(() => this.#changed()),
        lost: () => this.#record.forget(),
        uploading: () => this.#become('uploading'),
        verifying: () => this.#become('verifying'),
        warning: (message) => {
          this.#warning = message
          this.#changed()
        },
      },
    }
  }

  #become(phase: Phase): void {
    if (this.ended) return
    this.#phase = phase
    this.#changed()
  }

  #settle(): void {
    this.#changed()
    for (const resolve of this.#settling.splice(0)) resolve(this.getSnapshot())
  }

  #changed(): void {
    this.#subject.publish()
    this.#shared.changed()
  }

  #progressed(): void {
    this.#subject.publishProgress()
    this.#shared.progressed()
  }

  #snapshot(): UploadSnapshot {
    const { source, state } = this
    const bytesSent = state === 'done' ? source.size : Math.min(source.size, this.#tally.bytesSent)
    const speed = state === 'uploading' ? this.#tally.bytesPerSecond : 0
    return Object.freeze({
      id: this.id,
      name: source.name,
      mimeType: this.mimeType,
      size: source.size,
      state,
      pauseReason: state === 'paused' ? this.gate.reason : null,
      bytesSent,
      speedBytesPerSecond: speed,
      secondsLeft: state === 'uploading' ? secondsLeft(source.size - bytesSent, speed) : null,
      error: this.#error?.fault ?? null,
      warning: this.#warning,
      fileId: this.#record.fileId,
      resumedBytes: this.#resumedBytes,
      file: this.#file,
    })
  }
}
