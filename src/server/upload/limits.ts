/** docs/spec.md section 8. MB and GB are MiB and GiB, because the smallest part that S3 takes is 5 MiB. */
export const MIB = 1024 * 1024

export const SIMPLE_MAX_BYTES = 10 * MIB
export const FILE_MAX_BYTES = 5 * 1024 * MIB
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

/** How long a presigned PUT of a simple upload lives. */
export const SIMPLE_URL_SECONDS = 15 * 60
/** How long a presigned PUT of a part lives. */
export const PART_URL_SECONDS = 60 * 60
/** How long a presigned GET lives. */
export const DOWNLOAD_URL_SECONDS = 5 * 60

/** How many part URLs one call signs: 1,024 parts need 11 calls. */
export const URLS_PER_CALL = 100
