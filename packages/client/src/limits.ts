/** Upload limits, shared by server and clients. All sizes are in bytes; MB and GB mean MiB and GiB: S3's smallest part is 5 MiB. */
export const MIB = 1024 * 1024

/** Files up to this size are sent with one PUT, larger ones as multipart uploads. */
export const SIMPLE_MAX_BYTES = 10 * MIB
export const FILE_MAX_BYTES = 5 * 1024 * MIB
/** The smallest part, and the size of parts when a file has as many as it may have. */
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

/** How many part URLs one `upload.getPartUrls` call signs: 1,024 parts need 11 calls. */
export const URLS_PER_CALL = 100
