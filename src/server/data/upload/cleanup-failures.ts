import type { FileState } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'

/** A file whose cleanup in the store has failed at the last attempt, and since. */
export type CleanupFailure = {
  id: string
  userId: string
  state: FileState
  reserved: bigint
  failingSince: Date
}

/** How many files the sweeper fails to clean up, and the quota that they hold. */
export async function countCleanupFailures(db: Db): Promise<{ files: number; bytes: number }> {
  const { _count, _sum } = await db.file.aggregate({
    where: { cleanupFailingSince: { not: null } },
    _count: true,
    _sum: { reservedBytes: true },
  })
  return { files: _count, bytes: Number(_sum.reservedBytes ?? 0) }
}

/** Those that have failed longest. */
export async function listCleanupFailures(db: Db, limit: number): Promise<CleanupFailure[]> {
  const files = await db.file.findMany({
    where: { cleanupFailingSince: { not: null } },
    orderBy: { cleanupFailingSince: 'asc' },
    take: limit,
    select: { id: true, userId: true, state: true, reservedBytes: true, cleanupFailingSince: true },
  })
  return files.map(({ reservedBytes, cleanupFailingSince, ...file }) => {
    return { ...file, reserved: reservedBytes, failingSince: cleanupFailingSince! }
  })
}
