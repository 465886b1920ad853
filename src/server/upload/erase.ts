import { setTimeout as sleep } from 'node:timers/promises'
import type { UploadDeps } from './deps.ts'
import type { Sweeper } from './sweeper.ts'

/** How long a confirmation or completion at work is waited for; then the next call goes on. */
const PATIENCE_MS = 5_000

/**
 * Removes all files of a user whose account is marked as deleted, as far as possible now. What cannot be
 * removed yet (a PUT may still use its URL, the store is down) the sweeper removes later; rows go with
 * their bytes. Repeatable.
 */
export async function deleteAllFilesOf(
  deps: Pick<UploadDeps, 'repo' | 'clock'>,
  sweeper: Pick<Sweeper, 'sweep'>,
  userId: string,
): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while ((await deps.repo.markAllDeleted(userId, deps.clock.now())) > 0 && performance.now() < end)
    await sleep(200)
  await sweeper.sweep(userId)
}
