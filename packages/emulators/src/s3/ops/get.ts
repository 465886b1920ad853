import { checkReadConditions } from '../conditions.ts'
import { s3Error } from '../errors.ts'
import { objectHeaders } from '../object-headers.ts'
import { parseRange } from '../ranges.ts'
import type { Reply } from '../reply.ts'
import { amzHeader, param, type S3Request } from '../request.ts'
import { checkUnbroken } from './completed-upload.ts'
import { type Context, target } from './context.ts'
import { checksumHeaders } from './put.ts'

const OVERRIDES = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]

/** Handles GetObject and HeadObject, which differ only in the body. */
export function getObject(request: S3Request, { store }: Context): Reply {
  const { bucket, key } = target(request)
  const overrides = overridesOf(request)
  const object = store.object(bucket, key)
  checkReadConditions(request, object)
  if (request.operation === 'GetObject') checkUnbroken(object)
  const range = parseRange(request.headers.range, object.size)
  const { start, end } = range ?? { start: 0, end: object.size - 1 }
  const headers = { ...objectHeaders(object), ...overrides }
  const reported = (size: number) => Math.max(size + request.plan.reportedSizeOffset, 0)
  if (range) headers['content-range'] = `bytes ${start}-${end}/${reported(object.size)}`
  else if (amzHeader(request, 'x-amz-checksum-mode') === 'ENABLED')
    Object.assign(headers, checksumHeaders(object.checksums))
  const length = end - start + 1
  headers['content-length'] = String(request.method === 'HEAD' ? reported(length) : length)
  return {
    status: range ? 206 : 200,
    headers,
    bytes: { blobs: object.blobs, start, end },
    release: store.pin(object.blobs),
  }
}

/** Returns the `response-*` headers of the query. @throws S3Error InvalidRequest without a signature */
function overridesOf(request: S3Request): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of OVERRIDES) {
    const value = param(request, `response-${name}`)
    if (value !== undefined) headers[name] = value
  }
  if (Object.keys(headers).length > 0 && request.auth.kind === 'none') {
    throw s3Error(
      'InvalidRequest',
      'Request specific response headers cannot be used for anonymous GET requests.',
    )
  }
  return headers
}
