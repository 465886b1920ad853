/** The HTTP status of an error that the SDK threw; undefined if there was no answer. */
export function httpStatusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata
  return metadata?.httpStatusCode
}

function codeOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name
}

// An object or upload is absent only if the store's error code says so. Another 404 may be a missing bucket or a
// misconfigured proxy, which is a failure and does not prove that bytes are gone.

export function isNoSuchKey(error: unknown): boolean {
  return codeOf(error) === 'NoSuchKey'
}

export function isNoSuchUpload(error: unknown): boolean {
  return codeOf(error) === 'NoSuchUpload'
}

export function isPreconditionFailed(error: unknown): boolean {
  return httpStatusOf(error) === 412
}

/** The store has other parts than a completion named. */
export function isPartsChanged(error: unknown): boolean {
  return ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'].includes(codeOf(error) ?? '')
}
