import type pg from 'pg'
import { attempt, type Report } from './finding.ts'

/** Of TOTAL_STORAGE_BYTES. */
const NEARLY_FULL = 0.9

/** How near the files of all users are to TOTAL_STORAGE_BYTES, and whether the sweeper fails to clean some up. */
export async function checkStoredFiles(
  client: pg.Client,
  totalStorageBytes: number | undefined,
  report: Report,
): Promise<void> {
  // Before the migrations, which have a finding of their own, there is nothing to look at.
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM information_schema.columns
       WHERE table_name = 'files' AND column_name = 'cleanup_failing_since') AS found`,
  )
  if (!rows[0]!.found) return
  if (totalStorageBytes !== undefined)
    await attempt(report, 'storage-ceiling', () => checkCeiling(client, totalStorageBytes, report))
  await attempt(report, 'files-cleanup', () => checkCleanup(client, report))
}

async function checkCeiling(client: pg.Client, ceiling: number, report: Report): Promise<void> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT COALESCE(sum(used_bytes + reserved_bytes), 0)::text AS bytes FROM users',
  )
  const bytes = Number(rows[0]!.bytes)
  const words = `${bytes} of the ${ceiling} bytes of TOTAL_STORAGE_BYTES are used or reserved`
  if (bytes < ceiling * NEARLY_FULL) report('storage-ceiling', 'ok', words)
  else
    report(
      'storage-ceiling',
      'warn',
      `${words}: ${bytes < ceiling ? 'soon' : 'by now'} uploads are refused with QUOTA_EXCEEDED`,
    )
}

async function checkCleanup(client: pg.Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ files: string; bytes: string }>(
    `SELECT count(*) AS files, COALESCE(sum(reserved_bytes), 0)::text AS bytes
     FROM files WHERE cleanup_failing_since IS NOT NULL`,
  )
  const { files, bytes } = rows[0]!
  if (files === '0') report('files-cleanup', 'ok', 'the sweeper cleans up every file')
  else
    report(
      'files-cleanup',
      'warn',
      `${files} files cannot be cleaned up in the object store and hold ${bytes} bytes of quota: npm run quota:check names them, the log says why (store not cleaned)`,
    )
}
