/**
 * Terms of this folder.
 *
 * - source: file to send: its name, size, type, and random access to its bytes
 * - chunk: range of a source's bytes, read whenever it is sent
 * - part: numbered piece (from 1) of a multipart upload; one PUT
 * - transport: sends a chunk to a presigned URL: XMLHttpRequest in browsers, node:http in Node
 * - attempt: one try of a call or PUT; an operation has up to `attempts` of them
 * - pause: stops an upload without ending it: by the user (parts in flight finish), without network, or without session
 * - handle: upload as its owner sees it: a snapshot and its controls
 */

/** Range of a source's bytes. `stream` can be called again for every attempt. */
export type Chunk = {
  /** Bytes. */
  readonly size: number
  stream(): AsyncIterable<Uint8Array>
  /**
   * Fills the buffer from byte `at` on, and returns the number of bytes, which is lower only at the end. Like `stream`,
   * but with the caller's buffers.
   */
  readonly read?: (buffer: Uint8Array, at: number) => Promise<number>
  /** The same bytes as a Blob, if there is one. XMLHttpRequest sends it. */
  readonly blob?: Blob
}

/** File to send. Nothing is read before its upload starts. */
export type UploadSource = {
  /** File name without folders. */
  readonly name: string
  /** MIME type according to the platform. If empty, the extension of the name decides. */
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /**
   * Returns the bytes from `start` to `end` (exclusive). Their stream throws UploadError FILE_CHANGED if the file has
   * changed since the source was created.
   */
  slice(start: number, end: number): Chunk
  /** Saved with the unfinished upload if the store can (a FileSystemFileHandle in IndexedDB). */
  readonly attachment?: unknown
}

/** Policy and labels of an upload. */
export type UploadOptions = {
  /**
   * Upload policy, whose types and sizes apply. If a user token has a policy, name the same one here. Default: the
   * server's general rules.
   */
  policy?: string
  /** Your app's own values, which `files.list` and events return. */
  data?: Readonly<Record<string, string | number | boolean>>
}

/**
 * - queued: waits in the queue
 * - starting: is checked, looks for an unfinished upload of the same file, or is opened on the server
 * - uploading: sends bytes
 * - pausing: pause() was called; parts in flight finish, and no other part starts
 * - paused: see `pauseReason`; stored parts are kept
 * - verifying: all bytes are stored, and the server checks them
 * - done, failed, cancelled: ended; `retry` restarts a failed upload
 */
export type UploadState =
  | 'queued'
  | 'starting'
  | 'uploading'
  | 'pausing'
  | 'paused'
  | 'verifying'
  | 'done'
  | 'failed'
  | 'cancelled'

/** `user` means that pause() was called. The others end when the network or the session returns. */
export type PauseReason = 'user' | 'offline' | 'signed-out'

export type UploadErrorCode =
  /** Rejected before any byte was sent, by the server's rules. */
  | 'NAME_NOT_ALLOWED'
  | 'TYPE_NOT_ALLOWED'
  /** The content clearly differs from what the name or type says. */
  | 'CONTENT_MISMATCH'
  | 'EMPTY_FILE'
  | 'TOO_LARGE'
  | 'QUOTA_EXCEEDED'
  /** The server rejected the call, or the content of the file. */
  | 'BAD_REQUEST'
  | 'NOT_FOUND'
  /** The server rejected the token or session. The upload is paused, not failed: resume() or signedIn() continues it. */
  | 'SIGNED_OUT'
  /** The upload took too long, and the server has expired it. retry() starts a new one. */
  | 'EXPIRED'
  /** The server failed, or the address is not that of a Pigeonhole server. */
  | 'SERVER_ERROR'
  /** No response from the server or the object store after all attempts. */
  | 'NETWORK'
  /** The object store responded with an error. */
  | 'STORE_UNAVAILABLE'
  | 'STORE_REFUSED'
  /** The bucket's CORS rule hides ETag, and the server did not find the part either. */
  | 'ETAG_HIDDEN'
  /** The file on disk was changed or moved, or can no longer be read. */
  | 'FILE_CHANGED'
  /** The file given to resumeFrom() has a different size than the upload to continue. */
  | 'DIFFERENT_FILE'

export type UploadFailure = Readonly<{
  code: UploadErrorCode
  /** Message for the user: what is wrong, what is allowed, what to do. */
  message: string
  /** True if retry() can succeed with the same file. */
  retryable: boolean
  /** ID of the request in the server's log, if the server rejected it. */
  requestId?: string
  /** The account's usage in bytes, if QUOTA_EXCEEDED was found before anything was sent. */
  usage?: Readonly<{ used: number; reserved: number; quota: number }>
  /** The server's `error.data.reason` for QUOTA_EXCEEDED, such as `too_many_uploads`. */
  reason?: string
}>

/** Failed attempt that will be repeated automatically. */
export type RetryWait = Readonly<{
  /** Time of the next attempt, in milliseconds since 1970. */
  at: number
  reason: UploadFailure
}>

/** Upload at one moment. Immutable: a change creates a new object. */
export type UploadSnapshot = Readonly<{
  /** ID of this handle, in this process. */
  id: string
  name: string
  /** Type to store; empty if unknown, which the server rejects. */
  mimeType: string
  /** Bytes. */
  size: number
  state: UploadState
  pauseReason: PauseReason | null
  /** Bytes of this file that are stored or in flight. Falls when an attempt must be repeated. */
  bytesSent: number
  /** Bytes that were sent but not stored, because their attempts were interrupted. They will be sent again. */
  bytesToResend: number
  /** Average over about 5 s; 0 while nothing is sent. Bytes already stored on resuming do not count. */
  speedBytesPerSecond: number
  /** Null while unknown. */
  secondsLeft: number | null
  /** Why the upload failed, or is paused as `signed-out`. */
  error: UploadFailure | null
  /** Next attempt, while nothing is sent because attempts failed. */
  nextAttempt: RetryWait | null
  /** Problem that does not stop the upload, for the operator (a CORS rule that hides ETag). */
  warning: string | null
  /** Null until the server has opened the upload. */
  fileId: string | null
  /** Bytes stored by an earlier run. */
  resumedBytes: number
  /** Set once done. */
  file: UploadedFile | null
}>

export type UploadedFile = Readonly<{
  id: string
  filename: string
  url: string
  /** Set if the app's backend checks the file first. Until it accepts the file, nobody can open `url`. */
  state?: 'HELD' | undefined
}>

/** Fits useSyncExternalStore(handle.subscribe, handle.getSnapshot): both are bound. */
export type Observable<T> = {
  /**
   * Calls the listener after each change, for progress at most four times a second. Returns a function that
   * unsubscribes.
   */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => T
}

export type UploadHandle = Observable<UploadSnapshot> & {
  readonly id: string
  /**
   * Starts no other part and lets queued uploads start. Parts in flight finish first (state `pausing`); a second call
   * interrupts them, and they are sent again later. An upload that waits for the network or the session then stays
   * paused when these return. No effect once the server verifies.
   */
  pause(): void
  /** Continues after or during a pause. After `signed-out`, checks whether the session has returned. */
  resume(): void
  /** Ends the upload permanently: aborts it on the server and drops it. No effect once it is done. */
  cancel(): void
  /** Restarts a failed upload. Does not send stored parts again. */
  retry(): void
  /** Resolves when the upload is `done`, `failed` or `cancelled`, immediately if it already is. Never rejects. */
  settled(): Promise<UploadSnapshot>
}

/** All uploads of an uploader. */
export type UploaderSnapshot = Readonly<{
  /** Uploads in the order they were added. The same array until one is added or removed. */
  uploads: readonly UploadHandle[]
  counts: Readonly<Record<UploadState, number>>
  /** Bytes of all uploads that are neither failed nor cancelled. */
  size: number
  bytesSent: number
  /** Sum of the uploads' `bytesToResend`. */
  bytesToResend: number
  speedBytesPerSecond: number
  /** Without paused uploads. Null if unknown, or if only paused ones are left. */
  secondsLeft: number | null
  online: boolean
  /** True if the server rejected the session: sign in, then call signedIn(). */
  signedOut: boolean
}>

export type Uploader = Observable<UploaderSnapshot> & {
  /**
   * Adds a file to the queue. Continues an unfinished upload of the same file, policy and data. Options replace those of
   * the uploader.
   */
  upload(source: UploadSource, options?: UploadOptions): UploadHandle
  /** Continues an upload that was started on another device or in another browser. */
  resumeFrom(fileId: string, source: UploadSource, options?: UploadOptions): UploadHandle
  /**
   * Returns unfinished uploads of earlier runs that no other tab continues. To continue one, pass its file, policy and
   * data to upload() again.
   */
  unfinished(): Promise<UnfinishedUpload[]>
  /**
   * Aborts an unfinished upload on the server and drops it. Has no effect if another tab continues it or has finished it.
   */
  discard(entry: UnfinishedUpload): Promise<void>
  /** Pauses all uploads. If all that can be are `pausing`, interrupts their parts in flight. */
  pauseAll(): void
  resumeAll(): void
  cancelAll(): void
  /** Restarts all failed uploads that can be retried. */
  retryAll(): void
  /** Removes an ended upload from the list. Without an argument, removes all ended uploads. */
  remove(handle?: UploadHandle): void
  /** Continues uploads that wait for a session. Call it after signing in again. */
  signedIn(): void
  /** Stops everything and keeps what another run needs to continue. The uploader cannot be used afterwards. */
  close(): Promise<void>
}

/** Unfinished upload, as saved for another page or process. */
export type UnfinishedUpload = UploadOptions & {
  /** Hash of the file's name, size, time, type, and its first and last bytes, and of its policy and data. */
  fingerprint: string
  fileId: string
  kind: 'simple' | 'multipart'
  name: string
  mimeType: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  startedAt: number
  /** From UploadSource, if the store can keep it. */
  attachment?: unknown
}

/** Store of unfinished uploads. If it fails, uploads work but cannot be resumed. */
export type UnfinishedUploadStore = {
  get(fingerprint: string): Promise<UnfinishedUpload | undefined>
  put(entry: UnfinishedUpload): Promise<void>
  remove(fingerprint: string): Promise<void>
  list(): Promise<UnfinishedUpload[]>
  /**
   * Locks a file against other tabs and processes, and returns a function that unlocks it. Undefined if another one
   * has the lock: the upload is then independent and not saved.
   */
  claim(fingerprint: string): Promise<(() => void) | undefined>
  /** Returns the fingerprints of the locked files of all tabs. Without it, unfinished() also lists running uploads. */
  claimed?(): Promise<ReadonlySet<string>>
}

export type PutRequest = {
  url: string
  /** Exactly these headers, and Content-Length, which the transport or browser sets. */
  headers: Readonly<Record<string, string>>
  body: Chunk
  /** Ends the attempt. `put` then rejects with the signal's reason. */
  signal: AbortSignal
  /** Called with the number of body bytes handed to the network so far. */
  onProgress(bytesSent: number): void
}

export type PutResponse = {
  status: number
  /** As sent, including quotes. Null if missing or hidden by CORS. */
  etag: string | null
  retryAfter: string | null
  /** First kilobytes of an error's body; empty for 2xx. */
  text: string
}

/** Sends bytes. Every HTTP response is a value; a missing response is a NetworkError. */
export type Transport = { put(request: PutRequest): Promise<PutResponse> }
