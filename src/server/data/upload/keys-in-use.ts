import type { Db } from '../postgres/db.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Which of these final keys belong to a row: a ready file, an unfinished upload, or one that the sweeper will
 * clean up within a day. Objects under any other key are orphans.
 */
export async function keysInUse(db: Db, keys: string[]): Promise<Set<string>> {
  const files = await db.file.findMany({
    where: {
      key: { in: keys },
      OR: [
        { state: 'READY', deletedAt: null },
        { state: { in: ['PENDING', 'UPLOADING'] } },
        { reservedBytes: { gt: 0 } },
        { cleanupAfter: { lte: new Date(Date.now() + DAY_MS) } },
      ],
    },
    select: { key: true },
  })
  return new Set(files.map((file) => file.key))
}
