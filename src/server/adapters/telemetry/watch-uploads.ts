import type { FileState } from '../../domain/uploads/file-record.ts'
import type { UploadRepo } from '../../domain/uploads/upload-repo.ts'

/** State that a file entered, or DELETED, or REFUSED (it exceeded the quota). */
export type UploadEvent = FileState | 'DELETED' | 'REFUSED'

/** Wraps the repository and reports every change of state after it is written. */
export function watchUploads(
  repo: UploadRepo,
  onEvent: (event: UploadEvent, count?: number) => void,
): UploadRepo {
  return {
    ...repo,
    async reserve(file, limits) {
      const reservation = await repo.reserve(file, limits)
      if (reservation.outcome === 'reserved') onEvent(file.state)
      if (reservation.outcome === 'rejected') onEvent('REFUSED')
      return reservation
    },
    async abandonInitiation(id, now) {
      await repo.abandonInitiation(id, now)
      onEvent('ABORTED')
    },
    async markReady(...args) {
      const replaced = await repo.markReady(...args)
      if (replaced) onEvent('READY')
      if (replaced && replaced.length > 0) onEvent('DELETED', replaced.length)
      return replaced
    },
    async markHeld(...args) {
      const held = await repo.markHeld(...args)
      if (held) onEvent('HELD')
      return held
    },
    async acceptHeld(...args) {
      const replaced = await repo.acceptHeld(...args)
      if (replaced) onEvent('READY')
      if (replaced && replaced.length > 0) onEvent('DELETED', replaced.length)
      return replaced
    },
    async rejectHeld(...args) {
      const file = await repo.rejectHeld(...args)
      if (file) onEvent('REJECTED')
      return file
    },
    async markEnded(id, leaseId, ending) {
      const done = await repo.markEnded(id, leaseId, ending)
      if (done) onEvent(ending.state)
      return done
    },
    async markDeleted(...args) {
      const file = await repo.markDeleted(...args)
      if (file) onEvent('DELETED')
      return file
    },
    async expire(now, limit) {
      const count = await repo.expire(now, limit)
      if (count > 0) onEvent('EXPIRED', count)
      return count
    },
    async deleteExpired(now, limit) {
      const count = await repo.deleteExpired(now, limit)
      if (count > 0) onEvent('DELETED', count)
      return count
    },
    async emptyTrash(...args) {
      const count = await repo.emptyTrash(...args)
      if (count > 0) onEvent('DELETED', count)
      return count
    },
    async deleteExpiredTrash(now, limit) {
      const count = await repo.deleteExpiredTrash(now, limit)
      if (count > 0) onEvent('DELETED', count)
      return count
    },
  }
}
