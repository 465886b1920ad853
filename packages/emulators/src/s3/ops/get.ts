import { checkReadConditions } from '../conditions.ts'
import { s3Error } from '../errors.ts'
import { objectHeaders } from '../object-headers.ts'
import { parseRange } from '../ranges.ts'
import type { Reply } from '../reply.ts'
import { amzHeader, type Exchange, param } from '../request.ts'
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

/** GetObject and HeadObject differ in the body alone. */
export function getObject(ex: Exchange, { store }: Context): Reply {
  const { bucket, key } = target(ex)
  const overrides = overridesOf(ex)
  const object = store.object(bucket, key)
  checkReadConditions(ex, object)
  if (ex.operation === 'GetObject') checkUnbroken(object)
  const range = parseRange(ex.headers.range, object.size)
  const { start, end } = range ?? { start: 0, end: object.size - 1 }
  const headers = { ...objectHeaders(object), ...overrides }
  const reported = (size: number) => Math.max(size + ex.plan.reportedSizeOffset, 0)
  if (range) headers['content-range'] = `bytes ${start}-${end}/${reported(object.size)}`
  else if (amzHeader(ex, 'x-amz-checksum-mode') === 'ENABLED')
    Object.assign(headers, checksumHeaders(object.checksums))
  const length = end - start + 1
  headers['content-length'] = String(ex.method === 'HEAD' ? reported(length) : length)
  return {
    status: range ? 206 : 200,
    headers,
    bytes: { blobs: object.blobs, start, end },
    release: store.pin(object.blobs),
  }
}

/** `response-*` of the query. @throws S3Error InvalidRequest for a request without signature */
function overridesOf(ex: Exchange): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of OVERRIDES) {
    const value = param(ex, `response-${name}`)
    if (value !== undefined) headers[name] = value
  }
  if (Object.keys(headers).length > 0 && ex.auth.kind === 'none') {
    throw s3Error(
      'InvalidRequest',
      'Request specific response headers cannot be used for anonymous GET requests.',
    )
  }
  return headers
}
