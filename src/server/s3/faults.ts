/** What the SDK throws, as far as we act on it. */
export function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata
  return metadata?.httpStatusCode
}

export function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name
}

/** No such object. A HEAD has no body, so its error is only a status. A missing bucket is a fault, not an answer. */
export function isAbsent(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket')
}

/** By the store's own word: a bare 404 may come from a proxy in front of it, and must not end an upload. */
export function isNoSuchUpload(error: unknown): boolean {
  return nameOf(error) === 'NoSuchUpload'
}

export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === 412
}

/** The parts that we named are not those that the store has (any more). */
export function isPartsChanged(error: unknown): boolean {
  return ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'].includes(nameOf(error) ?? '')
}
