import { formatCount } from '@pigeonhole/client/format'
import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES, PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { badRequest, quotaExceeded, tooManyFiles } from './errors.ts'
import type { FileRecord } from './file-record.ts'
import { policyLimits, requirePolicy } from './policies.ts'
import type { LimitsInput } from './schema.ts'
import type { UploadDeps, UploadSettings } from './upload-deps.ts'
import type { NewFile, TokenLimits, Usage } from './upload-repo.ts'
import { fillInFromToken, type UserTokenLimits } from './user-token-limits.ts'

/** Maximum number of attempts to reserve while the user's files with a policy end at the same time. */
const MAX_ATTEMPTS = 5

/** Lifetime of an idempotency key. */
export const KEY_SECONDS = 24 * 60 * 60

/**
 * Inserts the file's row and reserves its size and a place among the unfinished uploads. If an earlier call with the
 * same idempotency key created a file, reserves nothing and returns that file.
 * @throws AppError QUOTA_EXCEEDED; BAD_REQUEST if that file is another one; UNAUTHORIZED if the account was deleted
 */
export async function reserveQuota(deps: UploadDeps, userToken: UserTokenLimits | null, file: NewFile) {
  const { defaultQuotaBytes: quotaBytes, maxOpenUploads: unfinishedUploads, verifiedOnly } = deps.settings
  const policy = file.policy === null ? undefined : deps.settings.policies.get(file.policy)
  const policyFiles = policy?.replace ? null : (policy?.maxFilesPerUser ?? null)
  const isCounted = userToken !== null && (userToken.maxFiles !== null || userToken.maxBytes !== null)
  const token = isCounted ? userToken : null
  const limits = { quotaBytes, unfinishedUploads, verifiedOnly, policyFiles, token }
  for (let attempt = 1; ; attempt++) {
    const reservation = await deps.repo.reserve(file, limits)
    if (reservation.outcome === 'reserved') return undefined
    if (reservation.outcome !== 'known') {
      if (token) checkToken(token, await deps.repo.tokenUsage(token.tokenId), file.size)
      if (policy && policyFiles !== null) {
        const files = await deps.repo.countPolicyFiles(file.userId, policy.name)
        if (files >= policyFiles) throw tooManyFiles(policy.name, policyFiles, files)
        // A file may have ended since: then nothing would explain the rejection.
        if (attempt < MAX_ATTEMPTS) continue
      }
      break
    }
    const earlier = reservation.file
    if (!isKeyFree(earlier, file.createdAt)) {
      if (isSameInput(earlier, file)) return earlier
      throw badRequest(
        'This idempotencyKey was used for another file in the last 24 hours. Use a new key for each file. Reuse a key only to repeat a call.',
      )
    }
    await deps.repo.freeIdempotencyKey(earlier.id)
  }
  const found = await usage(deps, file.userId)
  if (found.mustVerify)
    throw new AppError(
      'QUOTA_EXCEEDED',
      'Verify your email address before you upload. Open the link in your email, or request another with account.requestEmailVerification.',
      { data: { reason: 'email_unverified' } },
    )
  if (found.unfinishedUploads >= unfinishedUploads)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `You can have at most ${unfinishedUploads} unfinished uploads. Complete, abort or delete some, or wait until they expire.`,
      { data: { reason: 'too_many_uploads' } },
    )
  throw quotaExceeded(found, file.size)
}

/** @throws AppError QUOTA_EXCEEDED if the token's limits are the reason for a rejection */
function checkToken(
  { maxFiles, maxBytes }: TokenLimits,
  { files, bytes }: { files: number; bytes: number },
  size: number,
): void {
  if (maxFiles !== null && files >= maxFiles)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `This user token allows at most ${formatCount(maxFiles, 'upload')} and was used for ${files}. Request another token from your app's backend.`,
      { data: { reason: 'too_many_files' } },
    )
  if (maxBytes !== null && bytes + size > maxBytes)
    throw new AppError(
      'QUOTA_EXCEEDED',
      `The file needs ${formatCount(size, 'byte')}, but this user token has only ${formatCount(Math.max(0, maxBytes - bytes), 'byte')} of ${maxBytes} left. Request another token from your app's backend.`,
      { data: { reason: 'too_many_bytes' } },
    )
}

/** Returns true if the key has expired, or the initiation failed, so that no client knows the file's ID. */
function isKeyFree(earlier: FileRecord, now: Date): boolean {
  const initiated = earlier.totalParts === null || earlier.uploadId !== null || earlier.state === 'UPLOADING'
  return !initiated || secondsAfter(earlier.createdAt, KEY_SECONDS) <= now
}

function isSameInput(a: FileRecord, b: NewFile): boolean {
  return (
    (a.originalFilename ?? a.filename) === b.filename &&
    (['mimeType', 'size', 'totalParts', 'policy'] as const).every((field) => a[field] === b[field]) &&
    canonicalData(a) === canonicalData(b)
  )
}

/** Returns `data` as text. PostgreSQL sorts the keys of jsonb. */
const canonicalData = ({ data }: Pick<FileRecord, 'data'>) =>
  data && JSON.stringify(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Returns the rules for uploads, so that clients do not have to know them in advance.
 * @throws AppError BAD_REQUEST for an unknown policy
 */
export function uploadLimits(
  deps: { settings: Pick<UploadSettings, 'maxOpenUploads' | 'maxParts' | 'policies'> },
  input: LimitsInput,
  token: UserTokenLimits | null = null,
) {
  const { maxOpenUploads, maxParts, policies } = deps.settings
  const { policy: name } = token === null ? input : fillInFromToken(token, input)
  const policy = requirePolicy(policies, name)
  const limits = { ...(policy ? policyLimits(policy, maxParts) : defaultLimits(maxParts)), maxOpenUploads }
  if (token?.maxBytes == null) return limits
  return {
    ...limits,
    maxSimpleBytes: Math.min(limits.maxSimpleBytes, token.maxBytes),
    maxMultipartBytes: Math.min(limits.maxMultipartBytes, token.maxBytes),
  }
}

function defaultLimits(maxParts: number) {
  return {
    mimeTypes: [...ALLOWED_MIME_TYPES] as string[],
    maxSimpleBytes: SIMPLE_MAX_BYTES,
    maxMultipartBytes: FILE_MAX_BYTES,
    // Large enough that the largest file has at most `maxParts` parts.
    partBytes: Math.max(PART_BYTES, Math.ceil(FILE_MAX_BYTES / maxParts)),
  }
}

/** @throws AppError UNAUTHORIZED if the account was deleted */
export async function usage({ repo, settings }: UploadDeps, userId: string): Promise<Usage> {
  const { defaultQuotaBytes: quotaBytes, verifiedOnly } = settings
  const found = await repo.usage(userId, { quotaBytes, verifiedOnly })
  if (!found) throw new AppError('UNAUTHORIZED', 'This account no longer exists.')
  return found
}
