import type { IncomingMessage } from 'node:http'

/** `.` and `..` as segments, encoded or not, and slashes that only some readers take for one. */
const AMBIGUOUS_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)|%2f|%5c|\\/i

/**
 * What is wrong with a request that a proxy may have read otherwise than we would, so that its rules guarded another
 * host or path; null if there is nothing. `target`: path and query.
 */
export function ambiguityOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  target: string,
): string | null {
  if (AMBIGUOUS_PATH.test(target.split('?')[0]!))
    return 'The path has dot segments, backslashes or encoded slashes. Send it without them.'
  // Names and values in turn. Node itself keeps the first (RFC 9112, 3.2, wants a refusal).
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? 'There is more than one Host header. Send one.' : null
}
