import { httpStatusOf } from './errors.ts'

/** Advice by the store's error code. */
const BY_CODE: Record<string, string> = {
  SignatureDoesNotMatch:
    'check S3_SECRET_ACCESS_KEY, and that no proxy changes the requests or their Host header',
  InvalidAccessKeyId: 'check S3_ACCESS_KEY_ID, and that S3_ENDPOINT is the store that issued it',
  InvalidToken: 'check the session token of the credentials',
  ExpiredToken: 'renew the credentials, which have expired',
  AccessDenied:
    'check S3_BUCKET, and give S3_ACCESS_KEY_ID the permissions in docs/storage.md on this bucket',
  AuthorizationHeaderMalformed: 'check S3_REGION',
  IllegalLocationConstraintException: 'check S3_REGION',
  InvalidLocationConstraint: 'check S3_REGION',
  PermanentRedirect: 'check S3_REGION and S3_ENDPOINT: the bucket is in another region',
  TemporaryRedirect: 'check S3_REGION and S3_ENDPOINT: the bucket is in another region',
  RequestTimeTooSkewed: 'set up NTP here and on the store: their clocks differ too much',
  NoSuchBucket: 'check S3_BUCKET, or create the bucket with npm run bucket:setup -- --create',
  InvalidBucketName: 'check S3_BUCKET, and S3_FORCE_PATH_STYLE',
  BucketAlreadyExists: 'choose another S3_BUCKET: this one belongs to another account',
}

/** Advice by the code of Node's socket or TLS error. */
const BY_NETWORK_CODE: Record<string, string> = {
  EPROTO:
    'S3_ENDPOINT is https, but its port does not accept TLS: check the port, or use http:// if the store has no TLS',
  ENOTFOUND:
    'check the host name in S3_ENDPOINT, and set S3_FORCE_PATH_STYLE=true unless the store has a DNS name for each bucket',
  EAI_AGAIN: 'the host name in S3_ENDPOINT cannot be looked up: check the DNS server of this machine',
  ECONNREFUSED: 'check the host and port in S3_ENDPOINT, and that the store is running',
  ECONNRESET: 'check the host, port and scheme (http or https) in S3_ENDPOINT',
  ETIMEDOUT: 'check S3_ENDPOINT, and the firewalls on the way to it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate is for another name: check the host in S3_ENDPOINT, and S3_FORCE_PATH_STYLE',
}

const CERTIFICATE = /CERT|SIGNATURE|ISSUER/

type SdkError = { name?: string; message?: string; code?: string; Code?: string }

/**
 * Describes a failed call to the store in one sentence: its HTTP status, its error code, and which variable to check.
 * Responses to HEAD have no error code, so describe the error of another call.
 */
export function describeStoreError(error: unknown): string {
  const { name = '', message = '', code, Code } = (error ?? {}) as SdkError
  const status = httpStatusOf(error)
  const said = message.replace(/\s+/g, ' ').trim()
  if (status === undefined) return `${said || name}: ${networkAdvice(name, code)}`
  if (Code === undefined)
    return `HTTP ${status} without an S3 error code: check that S3_ENDPOINT is the address of an S3 API, with the right port and scheme (http or https)`
  const advice = BY_CODE[Code]
  const answer = `HTTP ${status} ${Code}${said && said !== 'UnknownError' ? `, "${said}"` : ''}`
  return advice ? `${answer}: ${advice}` : answer
}

function networkAdvice(name: string, code: string | undefined): string {
  if (name === 'CredentialsProviderError') return 'set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'
  if (name === 'TimeoutError') return BY_NETWORK_CODE.ETIMEDOUT!
  if (code !== undefined && BY_NETWORK_CODE[code]) return BY_NETWORK_CODE[code]
  if (code !== undefined && CERTIFICATE.test(code))
    return 'this machine does not trust the certificate of S3_ENDPOINT: set NODE_EXTRA_CA_CERTS to a file with its CA certificate'
  return 'check S3_ENDPOINT'
}
