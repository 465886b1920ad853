/** Upload limits of server and clients, in bytes. MB and GB mean MiB and GiB, because S3's smallest part is 5 MiB. */
export const MIB = 1024 * 1024

/** Largest file that is sent with one PUT. Larger files are multipart uploads. */
export const SIMPLE_MAX_BYTES = 10 * MIB
export const FILE_MAX_BYTES = 5 * 1024 * MIB
/** Largest file that an upload policy can allow: the limit of S3. */
export const POLICY_MAX_BYTES = 5 * 1024 * 1024 * MIB
/** Largest part that S3 accepts. */
export const MAX_PART_BYTES = 5 * 1024 * MIB
/** Smallest part size, used when a file has the maximum number of parts. */
export const PART_BYTES = 5 * MIB

export const ALLOWED_MIME_TYPES = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'application/pdf',
  'video/mp4',
  'video/quicktime',
] as const

export type MimeType = (typeof ALLOWED_MIME_TYPES)[number]

/** Maximum number of calls in a batch: `maxItems` of tRPC's httpBatchLink. */
export const CALLS_PER_BATCH = 20

/** Number of part URLs that one `upload.getPartUrls` call signs: 1,024 parts take 11 calls. */
export const URLS_PER_CALL = 100
