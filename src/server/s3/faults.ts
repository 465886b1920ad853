/** What the SDK throws, as far as we act on it. */
export function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata
  return metadata?.httpStatusCode
}

export function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name
}

// Absent is what the store's own word says is. A 404 without it may be a missing bucket or a proxy in front that
// lost its way: a fault, and no proof that bytes are gone.

export function isNoSuchKey(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey'
}

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
