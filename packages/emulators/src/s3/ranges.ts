import { s3Error } from './errors.ts'

/**
 * Returns the first and last byte of a Range header. Returns undefined for the whole object: S3 ignores headers that it
 * cannot parse, and does not serve multiple ranges.
 * @throws S3Error InvalidRange (416) if the range contains no byte
 */
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | undefined {
  if (header === undefined) return undefined
  const m = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!m || (m[1] === '' && m[2] === '')) return undefined
  let start = Number(m[1])
  let end = m[2] === '' ? size - 1 : Number(m[2])
  if (m[1] === '') {
    // bytes=-n: the last n bytes.
    if (Number(m[2]) === 0) throw unsatisfiable(header, size)
    start = Math.max(size - Number(m[2]), 0)
    end = size - 1
  } else if (m[2] !== '' && end < start) return undefined
  if (start >= size) throw unsatisfiable(header, size)
  return { start, end: Math.min(end, size - 1) }
}

function unsatisfiable(header: string, size: number): Error {
  return s3Error('InvalidRange', undefined, { RangeRequested: header, ActualObjectSize: size })
}
