import type { AdminActor } from '../../kernel/audit.ts'
import { secondsAfter } from '../../kernel/clock.ts'
import { URL_MARGIN_SECONDS } from './cleanup.ts'
import type { FileRecord } from './file-record.ts'
import { finalKey } from './keys.ts'
import { finalVisibility, readyUntil, replacementOf, timeoutVerdict } from './policies.ts'
import type { Verdict } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'

/** Maximum number of files that one query returns, and of failures in one round. */
const BATCH = 100

const SWEEPER: AdminActor = { actor: null, address: null }

/**
 * Creates the step that decides about files that got no verdict in time, as their policies say. It leaves the objects of
 * rejected and replaced ones to the sweeper, and returns the number of decided files. Many failures end a round, because
 * each can wait for a lock. The next round continues after them, so that files that keep failing hold up no others.
 */
export function createOverdueDecisions(deps: UploadDeps) {
  /** Last file of the previous round. Null: the round reached the end. */
  let last: FileRecord | null = null

  return async (at: Date, stopped: AbortSignal): Promise<number> => {
    let decided = 0
    let failed = 0
    for (;;) {
      const files = await deps.repo.findOverdueHeld(at, last, BATCH)
      for (const file of files) {
        if (stopped.aborted) return decided
        const verdict = timeoutVerdict(deps.settings.policies, file)
        const input = { verdict, reason: 'The file was not checked in time.' }
        try {
          if (await decideHeldFile(deps, file, input, { by: SWEEPER, at })) decided++
        } catch (error) {
          deps.report('held file not decided', { fileId: file.id, error })
          failed++
        }
      }
      last = files.length < BATCH ? null : files.at(-1)!
      if (last === null || failed >= BATCH) return decided
    }
  }
}

/** Returns the files whose objects can be removed now, or null if the file is no longer HELD. */
export async function decideHeldFile(
  { repo, settings, urls }: UploadDeps,
  { id, userId, filename, policy, urlExpiresAt }: FileRecord,
  { verdict, reason }: { verdict: Verdict; reason?: string | undefined },
  { by, at }: { by: AdminActor; at: Date },
): Promise<FileRecord[] | null> {
  const about = { ...by, userId, subjectId: id, ...(reason && { details: { reason } }) }
  const visibility = finalVisibility(settings.policies.get(policy ?? ''), urls.publicUrl)
  if (verdict === 'accept')
    return repo.acceptHeld(id, {
      publicKey: visibility === 'public' ? finalKey(userId, id, filename, visibility) : undefined,
      at,
      expiresAt: readyUntil(settings.policies, { policy }, at),
      cleanupAfter: urlExpiresAt && secondsAfter(urlExpiresAt, URL_MARGIN_SECONDS),
      replace: replacementOf(settings.policies, { policy }),
      audit: { ...about, action: 'file.accepted' },
    })
  const audit = { ...about, action: 'file.rejected' as const }
  const rejected = await repo.rejectHeld(id, { rejectReason: reason ?? 'The file was rejected.', at, audit })
  return rejected && [rejected]
}
