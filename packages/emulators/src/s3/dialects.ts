import type { Quirks } from './fault-types.ts'

export const DIALECTS = ['aws', 'ceph', 'swift', 'minio'] as const

/** Store whose S3 API the emulator speaks. */
export type Dialect = (typeof DIALECTS)[number]

/** Differences between stores, besides those that `Quirks` can switch while the emulator runs. */
export type DialectRules = {
  /** Error of ListParts for an upload that was completed, aborted, or never started. */
  goneForListParts: 'NoSuchUpload' | 'NoSuchKey'
  /**
   * True if parts are separate objects, like Swift's segments. A completed upload is still listed and accepts parts
   * while its object exists. A part that arrives during an abort stays, unreachable.
   */
  partsAreObjects: boolean
  /** Highest part number. */
  maxParts: number
  /** True if a presigned PUT with an unsigned Content-Type is rejected. */
  rejectsUnsignedContentType: boolean
  /** Condition keys that bucket policies support. Empty if bucket policies are not supported. */
  policyKeys: readonly string[]
  /** True if buckets have CORS rules. Otherwise, `corsOrigins` decides. */
  bucketCors: boolean
  /** Origins that are allowed by default. */
  defaultOrigins?: string[]
  lifecycle: 'all' | 'expiry only' | 'none'
  quirks: Quirks
}

const NO_QUIRKS: Quirks = {
  ignoreCopySourceIfMatch: false,
  ignoreUnsignedAmzHeaders: false,
  hideEtagFromCors: false,
  repeatCompletion: false,
  partListingLagMs: 0,
  listingPage: 1000,
}

const AWS: DialectRules = {
  goneForListParts: 'NoSuchUpload',
  partsAreObjects: false,
  maxParts: 10_000,
  rejectsUnsignedContentType: false,
  policyKeys: ['s3:authType', 's3:x-amz-copy-source'],
  bucketCors: true,
  lifecycle: 'all',
  quirks: NO_QUIRKS,
}

/** Rules by dialect. The comment on each dialect names its sources. */
export const RULES: Record<Dialect, DialectRules> = {
  aws: AWS,

  /**
   * RGW 19.2.6 and 20.2.4. ListParts reads the upload's record, and responds to a missing one like to any missing
   * object (rgw_op.cc, RGWListMultipart). UploadPart and Abort translate the error. A completion is compared with the
   * existing object (check_previously_completed). The rest was measured on a cluster.
   */
  ceph: {
    ...AWS,
    goneForListParts: 'NoSuchKey',
    rejectsUnsignedContentType: true,
    policyKeys: ['s3:x-amz-copy-source'],
    quirks: {
      ...NO_QUIRKS,
      ignoreCopySourceIfMatch: true,
      ignoreUnsignedAmzHeaders: true,
      repeatCompletion: true,
    },
  },

  /**
   * s3api of OpenStack Swift 2.30 and later (controllers/multi_upload.py). `_get_upload_info` falls back to the
   * completed object, and the abort then fails because the marker is missing. `max_upload_part_num` is 1000. Container
   * listings are eventually consistent.
   */
  swift: {
    ...AWS,
    partsAreObjects: true,
    maxParts: 1000,
    policyKeys: [],
    bucketCors: false,
    lifecycle: 'none',
    quirks: { ...NO_QUIRKS, ignoreUnsignedAmzHeaders: true, partListingLagMs: 150 },
  },

  /** No CORS rules per bucket; all origins are allowed by default. Lifecycle rules do not cover unfinished uploads. */
  minio: {
    ...AWS,
    bucketCors: false,
    defaultOrigins: ['*'],
    lifecycle: 'expiry only',
    quirks: { ...NO_QUIRKS, ignoreUnsignedAmzHeaders: true },
  },
}
