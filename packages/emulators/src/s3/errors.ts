/**
 * Status and default message by code, according to "Error responses" in the Amazon S3 API Reference.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
const TABLE = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The authorization query parameters are not valid.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BadRequest: [400, 'Bad Request'],
  BrokenMPU: [409, 'Multipart upload has broken segment data.'],
  BucketAlreadyOwnedByYou: [
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
  ],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  IncompleteBody: [
    400,
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  ],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 you specified was invalid.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. Parts must be ordered by part number.',
  ],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPolicy: [400, 'This policy contains invalid Json'],
  MalformedXML: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema',
  ],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NotImplemented: [501, 'A header or query you provided implies functionality that is not implemented'],
  NotModified: [304, 'Not Modified'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} satisfies Record<string, [number, string]>

export type S3Code = keyof typeof TABLE

/** Response with an S3 error document. `details` become additional elements. */
export class S3Error extends Error {
  readonly code: string
  readonly status: number
  readonly details: Record<string, string | number>
  readonly headers: Record<string, string>

  constructor(
    code: string,
    status: number,
    message: string,
    more: { details?: Record<string, string | number>; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.details = more.details ?? {}
    this.headers = more.headers ?? {}
  }
}

/** Creates the error of a code in the table, with its default message or another. */
export function s3Error(code: S3Code, message?: string, details?: Record<string, string | number>): S3Error {
  const [status, text] = TABLE[code]
  return new S3Error(code, status, message ?? text, { details })
}

/** Returns the status of a code, 400 if unknown, because fault scripts can use any code. */
export function statusOf(code: string): number {
  return (TABLE as Record<string, [number, string]>)[code]?.[0] ?? 400
}

/** Returns the default message of a code, or the code itself. */
export function messageOf(code: string): string {
  return (TABLE as Record<string, [number, string]>)[code]?.[1] ?? code
}
