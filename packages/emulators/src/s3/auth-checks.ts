import { s3Error } from './errors.ts'
import type { AuthRules, SignedRequest } from './signature.ts'
import type { Scope } from './sigv4.ts'
import type { Credential } from './types.ts'

/** Returns the credential that signed the request. @throws S3Error InvalidAccessKeyId, InvalidToken */
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
 * Checks region, service, terminator and day of the credential.
 * @throws S3Error AuthorizationHeaderMalformed, or AuthorizationQueryParametersError for presigned URLs
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
 * Checks that every x-amz-* header is signed: otherwise, an intermediary could add an ACL or metadata. With a signature
 * in the header, this includes the content's type and MD5 ("CanonicalHeaders must include ... Content-Type if
 * present"). With a presigned URL, they can be unsigned, except that Ceph has rejected an unsigned type since
 * CVE-2026-54330.
 * @throws S3Error AccessDenied with HeadersNotSigned
 */
export function checkNothingUnsigned(
  request: SignedRequest,
  signedHeaders: string[],
  where: 'header' | 'query',
  rules: Pick<AuthRules, 'ignoreUnsignedAmzHeaders' | 'rejectsUnsignedContentType'>,
): void {
  const signed = new Set(signedHeaders)
  const unsigned = Object.keys(request.headers).filter((name) => {
    if (signed.has(name)) return false
    if (name.startsWith('x-amz-')) return !rules.ignoreUnsignedAmzHeaders
    if (name === 'content-type') return where === 'header' || rules.rejectsUnsignedContentType
    return where === 'header' && name === 'content-md5'
  })
  if (!signed.has('host')) unsigned.unshift('host')
  if (unsigned.length === 0) return
  throw s3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    HeadersNotSigned: unsigned.join(', '),
  })
}
