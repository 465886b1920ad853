/** Returns the HTTP status of an error of the SDK, or undefined if there was no response. */
export function httpStatusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode
}

const hasCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as { name?: string } | null)?.name ?? '')

// An object or upload is absent only if the store's error code says so. Any other 404 can be a missing bucket or a
// misconfigured proxy, and does not prove that the bytes are gone.

export const isNoSuchBucket = (error: unknown) => hasCode(error, 'NoSuchBucket')

export const isNoSuchKey = (error: unknown) => hasCode(error, 'NoSuchKey')

export const isNoSuchUpload = (error: unknown) => hasCode(error, 'NoSuchUpload')

export const isPreconditionFailed = (error: unknown) => httpStatusOf(error) === 412

/** Returns true if the store's parts differ from those that the completion names. */
export const isPartsChanged = (error: unknown) =>
  hasCode(error, 'InvalidPart', 'InvalidPartOrder', 'EntityTooSmall')
