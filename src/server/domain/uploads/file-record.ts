import type { FlatData } from '../../kernel/flat-data.ts'
import type { FILE_STATES, Visibility } from './schema.ts'

// Glossary.
// Staged object: below `staging/`, where a presigned PUT can still replace it.
// Final object: at the file's key, where only this service writes.
// Lease: exclusive right to work on one file across store and database.
// Reserved, used: a row's share of its owner's quota, for bytes that can still arrive and for stored bytes.

export type FileState = (typeof FILE_STATES)[number]

export type FileRecord = {
  id: string
  userId: string
  filename: string
  /** Name that the upload began with. Null if the file was never renamed. */
  originalFilename: string | null
  mimeType: string
  /** Declared size in bytes. */
  size: number
  /** Final key. */
  key: string
  state: FileState
  /** Store's ID of a multipart upload. Null for a simple upload or an unfinished initiation. */
  uploadId: string | null
  /** Null for a simple upload. */
  totalParts: number | null
  partSize: number | null
  etag: string | null
  rejectReason: string | null
  reserved: number
  used: number
  /** Bytes of the thumbnail, included in `used`. 0: the file has none. */
  thumbnailBytes: number
  /** When the presigned PUT of a simple upload expires. */
  urlExpiresAt: Date | null
  expiresAt: Date | null
  deletedAt: Date | null
  /** When the file leaves the trash. Null if it is not in the trash. */
  trashExpiresAt: Date | null
  /** `public` for a file that was public before its move to the trash, even if that move has failed halfway. */
  trashVisibility: Visibility | null
  /** When the upload became ABORTED, EXPIRED or REJECTED. */
  endedAt: Date | null
  createdAt: Date
  /** Name of the policy that the upload began with, even after the policy has been removed. */
  policy: string | null
  /** The app's own values. */
  data: FlatData | null
  /** Null: S3_PUBLIC_URL decides, for files from versions without this field. */
  visibility: Visibility | null
}

/** Returns true if the upload has ended with a stored object, readable or held. */
export const isStored = ({ state }: Pick<FileRecord, 'state'>): boolean =>
  state === 'READY' || state === 'HELD'

/** Lease to take or renew: an ID that the worker creates, and the duration from now. */
export type LeaseTerm = { id: string; ms: number }
