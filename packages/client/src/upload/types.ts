/**
 * Words used in this folder.
 *
 * source     a file to be sent: its name, size, type, and random access to its bytes
 * chunk      a range of a source's bytes, read when it is sent, as often as it has to be sent
 * part       a numbered piece (from 1) of a multipart upload; one PUT
 * transport  what carries a chunk to a presigned URL: XMLHttpRequest in browsers, node:http in Node
 * attempt    one try of one call or PUT; an operation is made of up to `attempts` of them
 * pause      stops an upload without ending it: by the user, without network, without session
 * handle     an upload as its owner sees it: a snapshot to look at and buttons to press
 */

/** A range of a source's bytes. `stream` may be called again for every attempt. */
export type Chunk = {
  /** Bytes. */
  readonly size: number
  stream(): AsyncIterable<Uint8Array>
  /** Fills the buffer from byte `at` on; returns how many bytes it got, fewer only at the end. Like `stream`, but the buffers are the caller's. */
  readonly read?: (buffer: Uint8Array, at: number) => Promise<number>
  /** The same bytes where they come from a Blob; what XMLHttpRequest sends. */
  readonly blob?: Blob
}

/** A file to be sent. Nothing is read before its upload starts. */
export type UploadSource = {
  /** File name without folders. */
  readonly name: string
  /** As the platform says. If it is empty, the name's extension decides. */
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /**
   * Bytes from `start` to `end` (exclusive). A stream of it throws UploadError FILE_CHANGED when the file
   * is not what it was when the source was made.
   */
  slice(start: number, end: number): Chunk
  /** Kept in the resume store where it can keep such things (a FileSystemFileHandle in IndexedDB). */
  readonly attachment?: unknown
}

/**
 * queued     waits in the queue
 * starting   is checked, looks for an unfinished upload of the same file, or is opened on the server
 * uploading  bytes are sent
 * paused     see `pauseReason`; stored parts are kept
 * verifying  all bytes are stored; the server checks them
 * done, failed, cancelled   ended; `retry` begins again after failed
 */
export type UploadState =
  | 'queued'
  | 'starting'
  | 'uploading'
  | 'paused'
  | 'verifying'
  | 'done'
  | 'failed'
  | 'cancelled'

/** `user`: pause() was called. The others end by themselves when the network or the session is back. */
export type PauseReason = 'user' | 'offline' | 'signed-out'

export type UploadErrorCode =
  /** Refused before a byte was sent, by the same rules as the server's. */
  | 'NAME_NOT_ALLOWED'
  | 'TYPE_NOT_ALLOWED'
  /** The content is plainly not what the name or type says. */
  | 'CONTENT_MISMATCH'
  | 'EMPTY_FILE'
  | 'TOO_LARGE'
  | 'QUOTA_EXCEEDED'
  /** The server rejected the call, or the content of the file. */
  | 'BAD_REQUEST'
  | 'NOT_FOUND'
  /** It took too long and the server has expired it. retry() starts a new one. */
  | 'EXPIRED'
  /** An error of the server, or the address is not that of a Pigeonhole server. */
  | 'SERVER_ERROR'
  /** No answer from the server or the object store after all attempts. */
  | 'NETWORK'
  /** The object store answered with an error. */
  | 'STORE_UNAVAILABLE'
  | 'STORE_REFUSED'
  /** The bucket's CORS rule hides ETag, and the server could not see the part either. */
  | 'ETAG_HIDDEN'
  /** The file on disk changed, moved or cannot be read any more. */
  | 'FILE_CHANGED'
  /** resumeFrom() was given a file of another size than the upload it should continue. */
  | 'DIFFERENT_FILE'

export type UploadFailure = Readonly<{
  code: UploadErrorCode
  /** For the user: what is wrong, what is allowed, what to do. */
  message: string
  /** Whether retry() can help without another file. */
  retryable: boolean
  /** Of the server's answer, if it was the server that refused: ties it to the server's log. */
  requestId?: string
  /** With QUOTA_EXCEEDED that was found before anything was sent: the account's bytes at that moment. */
  usage?: Readonly<{ used: number; reserved: number; quota: number }>
}>

/** A failed attempt that will be repeated by itself. */
export type RetryWait = Readonly<{
  /** When, in milliseconds since 1970. */
  at: number
  reason: UploadFailure
}>

/** An upload at one moment. Immutable: another moment is another object. */
export type UploadSnapshot = Readonly<{
  /** Of this handle, in this process. */
  id: string
  name: string
  /** As it will be stored; empty when it is not known and will be refused. */
  mimeType: string
  /** Bytes. */
  size: number
  state: UploadState
  pauseReason: PauseReason | null
  /** Bytes of this file that are in the store or on their way. Falls when an attempt has to be repeated. */
  bytesSent: number
  /** Smoothed over about 5 s; 0 while nothing moves. Bytes found in the store on resuming do not count. */
  speedBytesPerSecond: number
  /** Null while it is unknown. */
  secondsLeft: number | null
  error: UploadFailure | null
  /** While nothing is sent because attempts failed: when the next one begins. */
  nextAttempt: RetryWait | null
  /** A problem that does not stop the upload, for the operator (a CORS rule that hides ETag). */
  warning: string | null
  /** Null until the server has opened the upload. */
  fileId: string | null
  /** Bytes that an earlier run had stored. */
  resumedBytes: number
  /** Once done. */
  file: UploadedFile | null
}>

export type UploadedFile = Readonly<{ id: string; filename: string; url: string }>

/** Fits useSyncExternalStore(handle.subscribe, handle.getSnapshot): both are bound. */
export type Observable<T> = {
  /** Calls back after each change, for progress at most four times a second. Returns the unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => T
}

export type UploadHandle = Observable<UploadSnapshot> & {
  readonly id: string
  /** Stops sending and lets queued uploads start. No effect once the server verifies. */
  pause(): void
  /** Continues after a pause. After `signed-out` it tries whether the session is back. */
  resume(): void
  /** Ends it for good: aborts at the server and forgets it. No effect once it is done. */
  cancel(): void
  /** Starts again after `failed`. Stored parts are not sent again. */
  retry(): void
  /** Resolves with the next `done`, `failed` or `cancelled`; at once if it is there. Never rejects. */
  settled(): Promise<UploadSnapshot>
}

/** All uploads of an uploader together. */
export type UploaderSnapshot = Readonly<{
  /** In the order they were added. The same array as long as none was added or removed. */
  uploads: readonly UploadHandle[]
  counts: Readonly<Record<UploadState, number>>
  /** Bytes of all that is neither failed nor cancelled. */
  size: number
  bytesSent: number
  speedBytesPerSecond: number
  secondsLeft: number | null
  online: boolean
  /** The server did not know the session: sign in, then call signedIn(). */
  signedOut: boolean
}>

export type Uploader = Observable<UploaderSnapshot> & {
  /** Adds a file to the queue; an unfinished upload of the same file is continued. */
  upload(source: UploadSource): UploadHandle
  /** Continues an upload that was begun on another device or in another browser. */
  resumeFrom(fileId: string, source: UploadSource): UploadHandle
  /** Unfinished uploads of earlier runs. Pass the file to upload() again to continue one. */
  unfinished(): Promise<UnfinishedUpload[]>
  /** Aborts an unfinished upload on the server and forgets it. */
  discard(entry: UnfinishedUpload): Promise<void>
  pauseAll(): void
  resumeAll(): void
  cancelAll(): void
  /** Starts all again that failed and may succeed. */
  retryAll(): void
  /** Drops ended uploads from the list (no argument: all that ended). */
  remove(handle?: UploadHandle): void
  /** Call it after signing in again: uploads that waited for a session continue. */
  signedIn(): void
  /** Stops everything and keeps what is needed to continue in another run. The uploader cannot be used afterwards. */
  close(): Promise<void>
}

/** An unfinished upload as it outlives the page or process. */
export type UnfinishedUpload = {
  /** Of the file's name, size, time, type and its first and last bytes. */
  fingerprint: string
  fileId: string
  kind: 'simple' | 'multipart'
  name: string
  mimeType: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  startedAt: number
  /** From UploadSource, where the store can keep it. */
  attachment?: unknown
}

/** Where unfinished uploads are kept. If it fails, uploads work but cannot be resumed. */
export type UnfinishedUploadStore = {
  get(fingerprint: string): Promise<UnfinishedUpload | undefined>
  put(entry: UnfinishedUpload): Promise<void>
  remove(fingerprint: string): Promise<void>
  list(): Promise<UnfinishedUpload[]>
  /**
   * Locks a file against other tabs and processes; returns the unlock function. Undefined: another one has the
   * lock; then the upload is independent and is not kept.
   */
  claim(fingerprint: string): Promise<(() => void) | undefined>
}

export type PutRequest = {
  url: string
  /** Exactly these, besides Content-Length, which the transport or browser sets. */
  headers: Readonly<Record<string, string>>
  body: Chunk
  /** Ends the attempt; `put` then rejects with the signal's reason. */
  signal: AbortSignal
  /** Bytes of the body handed to the network so far. */
  onProgress(bytesSent: number): void
}

export type PutResponse = {
  status: number
  /** As sent, quotes included; null when there is none or CORS hides it. */
  etag: string | null
  retryAfter: string | null
  /** The first kilobytes of an error's body; empty for 2xx. */
  text: string
}

/** Sends bytes. Every HTTP response is a value; no response is a NetworkError. */
export type Transport = { put(request: PutRequest): Promise<PutResponse> }
