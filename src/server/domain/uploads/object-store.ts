export type Presigned = { url: string; expiresAt: Date }

/** ETags have no quotes. */
export type ObjectInfo = { size: number; etag: string }

/** `leading` are the first bytes of the same object. */
export type InspectedObject = ObjectInfo & { leading: Uint8Array }

/** `unsure`: the response was lost, late or an error, but the store may have carried out the call. */
type StoreOutcome = { outcome: 'done' | 'changed' } | { outcome: 'unsure'; cause: unknown }

/** Headers of the responses to unsigned GETs of an object. */
export type StoredHeaders = { contentType: string; contentDisposition?: string }

export type ListedObject = { key: string; size: number }

export type StoredPart = { partNumber: number; size: number; etag: string }

/**
 * Results that a caller can act on are values. A store that is unavailable, slow or sends invalid responses throws. Each
 * call ends in bounded time, and at once when `signal` aborts.
 */
export type ObjectStore = {
  /** Signs a PUT of exactly this type and length. With `from` (default: now), the URL can already have expired. */
  presignPut(
    key: string,
    contentType: string,
    size: number,
    valid: { seconds: number; from?: Date },
  ): Promise<Presigned>
  /** Signs PUTs of parts of exactly these lengths, which all expire at the same time. */
  presignParts(
    key: string,
    uploadId: string,
    parts: { partNumber: number; size: number }[],
    seconds: number,
  ): Promise<{ urls: string[]; expiresAt: Date }>
  presignGet(
    key: string,
    answer: { contentType: string; contentDisposition: string },
    seconds: number,
    method?: 'GET' | 'HEAD',
  ): Promise<Presigned>

  /** Null: no such object. */
  head(key: string, signal: AbortSignal): Promise<ObjectInfo | null>
  /** Does the same and returns the first `count` bytes (all of a shorter object), in one request. */
  inspect(key: string, count: number, signal: AbortSignal): Promise<InspectedObject | null>
  /**
   * Copies within the store, without the source's metadata. `changed`: the source has another ETag, or is gone.
   * `unsure`: check whether the copy exists.
   */
  copy(
    source: { key: string; etag: string },
    target: { key: string } & StoredHeaders,
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /** Lists one page of the objects under a prefix, sorted by key, after `after`. `more`: there is another page. */
  list(
    prefix: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<{ objects: ListedObject[]; more: boolean }>
  /** Removes objects, whether they exist or not. Returns the keys that could not be removed, each with the store's error. */
  remove(keys: string[], signal: AbortSignal): Promise<Map<string, unknown>>

  /** Copies the bytes from `start` to `end` (exclusive) of an object with this ETag to a part. */
  copyPart(
    source: { key: string; etag: string },
    range: { start: number; end: number },
    part: { key: string; uploadId: string; partNumber: number },
    signal: AbortSignal,
  ): Promise<void>
  createUpload(key: string, headers: StoredHeaders, signal: AbortSignal): Promise<string>
  /** Lists all pages, ascending. Null: the upload never existed, or was completed or aborted. */
  listParts(key: string, uploadId: string, signal: AbortSignal): Promise<StoredPart[] | null>
  /** Returns true if the store lists the upload as unfinished: a second check before giving up on it. */
  isUploadListed(key: string, uploadId: string, signal: AbortSignal): Promise<boolean>
  /** `changed`: the store's parts differ from these. `unsure`: check whether the object exists. */
  completeUpload(
    key: string,
    uploadId: string,
    parts: StoredPart[],
    signal: AbortSignal,
  ): Promise<StoreOutcome>
  /**
   * Repeats until the store has no part left, because a part in flight can survive one abort. If the upload was
   * completed, can remove the object too: some stores keep the parts as long as it exists.
   */
  abortUpload(key: string, uploadId: string, signal: AbortSignal): Promise<void>
  /** Aborts all uploads of this key, for an initiation whose response was lost. */
  abortUploadsOf(key: string, signal: AbortSignal): Promise<void>
}

/** Removes quotes. ETags arrive quoted, unquoted, escaped in XML, or weak (from proxies that compress). */
export function plainEtag(etag: string): string {
  return etag
    .trim()
    .replace(/&quot;/g, '"')
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}
