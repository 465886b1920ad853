import type { Clock } from '../../kernel/clock.ts'
import type { ObjectStore } from './object-store.ts'
import type { UploadPolicies } from './policies.ts'
import type { UploadRepo } from './upload-repo.ts'

/** Logs what an operator should see although no caller gets an error. */
export type Report = (event: string, details: Record<string, unknown>) => void

export type FileUrls = { baseUrl: string; publicUrl: string | undefined }

/** Policy for content of an unrecognized type: `lenient` accepts it, `strict` rejects it. */
export type ContentCheck = 'lenient' | 'strict'

export type UploadSettings = {
  defaultQuotaBytes: number
  /** Maximum number of unfinished uploads per user. */
  maxOpenUploads: number
  /** Users who sign in here have no quota until they verify their email. */
  verifiedOnly: boolean
  /** Maximum number of parts per upload that the store accepts. */
  maxParts: number
  /** Larger files are copied in parts. */
  maxCopyBytes: number
  pendingTtlSeconds: number
  multipartTtlSeconds: number
  contentCheck: ContentCheck
  policies: UploadPolicies
}

export type UploadDeps = {
  repo: UploadRepo
  store: ObjectStore
  clock: Clock
  urls: FileUrls
  settings: UploadSettings
  report: Report
}
