import type { Clock } from '../clock.ts'
import type { ObjectStore, Report, UploadRepo } from './ports.ts'
import type { FileUrls } from './urls.ts'

export type UploadSettings = {
  defaultQuotaBytes: number
  pendingTtlSeconds: number
  multipartTtlSeconds: number
}

/** What the use cases work with. */
export type UploadDeps = {
  repo: UploadRepo
  store: ObjectStore
  clock: Clock
  urls: FileUrls
  settings: UploadSettings
  report: Report
}
