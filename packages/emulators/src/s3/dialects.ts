import type { Quirks } from './fault-types.ts'

export const DIALECTS = ['aws', 'ceph', 'swift', 'minio'] as const

/** Whose S3 API the emulator speaks. */
export type Dialect = (typeof DIALECTS)[number]

/** Where stores differ, beyond the habits that `Quirks` can switch while the emulator runs. */
export type DialectRules = {
  /** The word of ListParts for an upload that was completed, aborted, or never begun. */
  goneForListParts: 'NoSuchUpload' | 'NoSuchKey'
  /**
   * Parts are objects of their own, as Swift's segments: a completed upload goes on being listed and taking parts
   * while its object is there, and a part that arrives during an abort stays, out of sight.
   */
  partsAreObjects: boolean
  /** The highest part number. */
  maxParts: number
  /** A presigned PUT with a Content-Type that is not signed is refused. */
  refusesUnsignedContentType: boolean
  /** CORS rules of a bucket. Without them `corsOrigins` decides. */
  bucketCors: boolean
  /** Origins that are allowed where nobody said anything. */
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
  refusesUnsignedContentType: false,
  bucketCors: true,
  lifecycle: 'all',
  quirks: NO_QUIRKS,
}

/** Sources: for each dialect the comment above it. */
export const RULES: Record<Dialect, DialectRules> = {
  aws: AWS,

  /**
   * RGW 19.2.6 and 20.2.4. ListParts reads the upload's record and answers for a missing one like for any missing
   * object (rgw_op.cc, RGWListMultipart); UploadPart and Abort translate it. A completion is compared with the
   * object that is there (check_previously_completed). The rest was measured on a cluster.
   */
  ceph: {
    ...AWS,
    goneForListParts: 'NoSuchKey',
    refusesUnsignedContentType: true,
    quirks: { ...NO_QUIRKS, ignoreCopySourceIfMatch: true, repeatCompletion: true },
  },

  /**
   * s3api of OpenStack Swift 2.30 and later: controllers/multi_upload.py (`_get_upload_info` falls back to the
   * completed object, the abort then fails on the missing marker), `max_upload_part_num` 1000, container listings
   * that are consistent eventually.
   */
  swift: {
    ...AWS,
    partsAreObjects: true,
    maxParts: 1000,
    bucketCors: false,
    lifecycle: 'none',
    quirks: { ...NO_QUIRKS, ignoreUnsignedAmzHeaders: true, partListingLagMs: 150 },
  },

  /** No CORS rules per bucket, all origins by default; lifecycle rules know no unfinished uploads. */
  minio: {
    ...AWS,
    bucketCors: false,
    defaultOrigins: ['*'],
    lifecycle: 'expiry only',
    quirks: { ...NO_QUIRKS, ignoreUnsignedAmzHeaders: true },
  },
}
