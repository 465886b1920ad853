import { s3Error } from './errors.ts'
import type { AuthRules, SignedRequest } from './signature.ts'
import type { Scope } from './sigv4.ts'
import type { Credential } from './types.ts'

/** The key that signed. @throws S3Error InvalidAccessKeyId, InvalidToken */
export function credentialFor(
  scope: Scope,
  known: Map<string, Credential>,
  token: string | undefined,
): Credential {
  const credential = known.get(scope.accessKeyId)
  if (!credential) throw s3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: scope.accessKeyId })
  if ((token ?? '') !== (credential.sessionToken ?? '')) throw s3Error('InvalidToken')
  return credential
}

/**
 * Region, service, terminator and day of the credential.
 * @throws S3Error AuthorizationHeaderMalformed, or AuthorizationQueryParametersError when presigned
 */
export function checkScope(scope: Scope, timestamp: string, region: string, where: 'header' | 'query'): void {
  const code = where === 'header' ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError'
  const lead =
    where === 'header'
      ? 'The authorization header is malformed;'
      : 'Error parsing the X-Amz-Credential parameter;'
  if (scope.terminator !== 'aws4_request') {
    throw s3Error(
      code,
      `${lead} incorrect terminator "${scope.terminator}". This endpoint uses "aws4_request".`,
    )
  }
  if (scope.service !== 's3') {
    throw s3Error(code, `${lead} incorrect service "${scope.service}". This endpoint belongs to "s3".`)
  }
  if (scope.region !== region) {
    throw s3Error(code, `${lead} the region '${scope.region}' is wrong; expecting '${region}'`, {
      Region: region,
    })
  }
  if (scope.date !== timestamp.slice(0, 8)) {
    throw s3Error(
      code,
      `${lead} Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${timestamp.slice(0, 8)}".`,
    )
  }
}

/**
 * Whatever x-amz-* header is sent must be signed, or anybody on the way could add an ACL or metadata.
 * With a signature in the header the type and MD5 of the content count too ("CanonicalHeaders must
 * include ... Content-Type if present"); with a presigned URL they may stay out,
 * except that Ceph has refused an unsigned type since CVE-2026-54330.
 * @throws S3Error AccessDenied with HeadersNotSigned
 */
export function checkNothingUnsigned(
  request: SignedRequest,
  signedHeaders: string[],
  where: 'header' | 'query',
  rules: Pick<AuthRules, 'ignoreUnsignedAmzHeaders' | 'refusesUnsignedContentType'>,
): void {
  const signed = new Set(signedHeaders)
  const unsigned = Object.keys(request.headers).filter((name) => {
    if (signed.has(name)) return false
    if (name.startsWith('x-amz-')) return !rules.ignoreUnsignedAmzHeaders
    if (name === 'content-type') return where === 'header' || rules.refusesUnsignedContentType
    return where === 'header' && name === 'content-md5'
  })
  if (!signed.has('host')) unsigned.unshift('host')
  if (unsigned.length === 0) return
  throw s3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    HeadersNotSigned: unsigned.join(', '),
  })
}
