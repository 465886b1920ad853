import { createBackendFileRepo } from '../adapters/postgres/uploads/backend-file-repo.ts'
import { countCleanupFailures } from '../adapters/postgres/uploads/cleanup.ts'
import { createFileRepo } from '../adapters/postgres/uploads/file-repo.ts'
import { createStorageLeases, storedBytes } from '../adapters/postgres/uploads/storage-leases.ts'
import { createObjectStore } from '../adapters/s3/object-store.ts'
import { watchStore } from '../adapters/telemetry/watch-store.ts'
import { watchUploads } from '../adapters/telemetry/watch-uploads.ts'
import type { Config } from '../config/config.ts'
import type { PresignFile } from '../domain/shares/visits.ts'
import { createBackendFiles } from '../domain/uploads/backend-files.ts'
import { deleteUserFiles } from '../domain/uploads/deletion.ts'
import { presignFile } from '../domain/uploads/file-queries.ts'
import { createUploadService } from '../domain/uploads/service.ts'
import { limitStorage } from '../domain/uploads/storage-ceiling.ts'
import { createSweeper, type Swept } from '../domain/uploads/sweeper.ts'
import type { Infrastructure } from './infrastructure.ts'

/** Time after which a draining process interrupts requests that wait for the store. */
const STORE_DRAIN_MS = 10_000

/** Connects uploads and files to PostgreSQL and the object store. */
export function wireUploads(config: Config, infrastructure: Infrastructure) {
  const { broadcastDb, clock, db, findExternalUser, lifecycle, log, metrics, sweepDb, trace } = infrastructure
  const objectStore = createObjectStore(config.s3, clock, trace)
  const store = watchStore(objectStore, metrics.onStoreCall, trace)
  const files = watchUploads(createFileRepo(db), metrics.onUpload)
  const ceiling = config.totalStorageBytes
  if (ceiling !== undefined) metrics.watch({ storage: async () => ({ ...(await storedBytes(db)), ceiling }) })
  metrics.watch({ cleanup: () => countCleanupFailures(broadcastDb) })
  const deps = {
    repo:
      ceiling === undefined
        ? files
        : limitStorage(files, {
            leases: createStorageLeases(db),
            ceiling,
            clock,
            onRejected: metrics.onStorageFull,
          }),
    store,
    clock,
    urls: { baseUrl: config.baseUrl, publicUrl: config.s3.publicUrl },
    settings: config.uploads,
    report: (event: string, { error, ...details }: Record<string, unknown>) =>
      log.warn({ ...details, err: error }, event),
    onSwept: (swept: Swept, ms: number) => {
      metrics.onSwept(swept)
      log.info({ ...swept, ms }, 'swept')
    },
  }
  const sweepDeps = { ...deps, repo: watchUploads(createFileRepo(sweepDb), metrics.onUpload) }
  const sweeper = createSweeper(sweepDeps)
  lifecycle.registerSweeper(sweeper)
  lifecycle.register({
    drain: () => void setTimeout(() => objectStore.interrupt(), STORE_DRAIN_MS).unref(),
    close: () => store.close(),
  })
  return {
    uploads: createUploadService(deps, sweeper),
    backendFiles: createBackendFiles({ deps, files: createBackendFileRepo(db), findExternalUser }),
    sweeper,
    store,
    urls: deps.urls,
    presignFile: ((file, options) => presignFile(deps, file, options)) satisfies PresignFile,
    deleteUserFiles: (userId: string) => deleteUserFiles(sweepDeps, sweeper, userId),
  }
}
