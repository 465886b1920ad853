import { formatBytes, formatCount } from '@pigeonhole/client/format'
import {
  ALLOWED_MIME_TYPES,
  FILE_MAX_BYTES,
  MAX_PART_BYTES,
  POLICY_MAX_BYTES,
  SIMPLE_MAX_BYTES,
} from '@pigeonhole/client/limits'
import { maxParts, partBytesFor } from '@pigeonhole/client/parts'
import { z } from 'zod'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { aboutEntry, parseNamedSettings } from '../../kernel/named-settings.ts'
import { invalidFields } from '../../kernel/validation.ts'
import type { FileRecord } from './file-record.ts'
import { isForbiddenType, MIME_TYPE } from './media-types.ts'
import { VERDICTS, type Verdict, VISIBILITIES, type Visibility } from './schema.ts'
import type { UserTokenLimits } from './user-token-limits.ts'

const mimeTypes = z
  .array(z.string({ error: 'must be a list of types' }), { error: 'must be a list of types' })
  .min(1, 'must have at least one type')
  .max(100, 'must have at most 100 types')
  .superRefine((types, context) => {
    for (const type of types) {
      const message = faultOfPattern(type)
      if (message) context.addIssue(message)
    }
  })

function faultOfPattern(type: string): string | undefined {
  if (!MIME_TYPE.test(type.replace(/\/\*$/, '/any')))
    return `must have types such as application/pdf or video/*, in lower case, not ${JSON.stringify(type)}`
  if (isForbiddenType(type))
    return `must not have ${type}: HTML, SVG, XML, scripts and executables are always rejected`
  return undefined
}

const flag = z.boolean({ error: 'must be true or false' })

const count = (error: string, max: number, formatted = '') =>
  z.int({ error }).min(1, 'must be at least 1').max(max, `must be at most ${max}${formatted}`)

const bytes = count(
  'must be a whole number of bytes',
  POLICY_MAX_BYTES,
  ` (${formatBytes(POLICY_MAX_BYTES)})`,
)

const settings = z.strictObject({
  /** Exact types and `type/*`. */
  mimeTypes: mimeTypes.default([...ALLOWED_MIME_TYPES]),
  maxBytes: bytes.default(FILE_MAX_BYTES),
  /** Counts unfinished uploads too, unless new files replace the oldest ones. */
  maxFilesPerUser: count('must be a whole number', 1_000_000).optional(),
  /** Deletes the oldest file when a new one is ready, instead of rejecting the new one. */
  replace: flag.default(false),
  /** Cannot be changed per file. Default: `public` with S3_PUBLIC_URL, and owners can change it. */
  visibility: z.enum(VISIBILITIES, { error: 'must be "private" or "public"' }).optional(),
  /** Days after which a READY file is deleted. */
  expiresInDays: count('must be a whole number of days', 36_500).optional(),
  /** Accepts only user tokens whose `upload.policy` is this policy. */
  requireUserToken: flag.default(false),
  /** Makes complete uploads HELD, so that nobody can read them before a verdict. */
  hold: flag.default(false),
  /** Time for a verdict. Default: DEFAULT_HOLD_HOURS. */
  holdHours: count('must be a whole number of hours', 168).optional(),
  /** Verdict on files that got none in that time. Default: reject. */
  holdTimeout: z.enum(VERDICTS, { error: 'must be "accept" or "reject"' }).optional(),
})

const DEFAULT_HOLD_HOURS = 24

const needsHold = (setting: 'holdHours' | 'holdTimeout') => ({
  path: [setting],
  error: 'needs "hold": true',
})

const policy = settings
  .refine(({ replace, maxFilesPerUser }) => !replace || maxFilesPerUser !== undefined, {
    path: ['replace'],
    error: 'needs maxFilesPerUser, the number of files to keep',
  })
  .refine(({ hold, holdHours }) => hold || holdHours === undefined, needsHold('holdHours'))
  .refine(({ hold, holdTimeout }) => hold || holdTimeout === undefined, needsHold('holdTimeout'))

/** Rules of an operator for the uploads that name them. */
export type UploadPolicy = z.output<typeof policy> & { name: string }
export type UploadPolicies = ReadonlyMap<string, UploadPolicy>

/** Settings of the service that policies depend on. */
type Surroundings = { maxParts: number; publicUrl: string | undefined }

/** Reads a policies file. `faults` has one line per error, which names the policy and the field. */
export function parsePolicies(text: string): { entries: UploadPolicies; faults: string[] } {
  const { entries, faults } = parseNamedSettings(text, {
    one: 'policy',
    many: 'policies',
    schema: policy,
    settings: { '': Object.keys(settings.shape) },
  })
  return { entries: new Map([...entries].map(([name, entry]) => [name, { ...entry, name }])), faults }
}

/** Returns the errors of policies that other settings do not permit, one line each. */
export function conflictsOf(policies: UploadPolicies, { maxParts, publicUrl }: Surroundings): string[] {
  const largest = maxParts * MAX_PART_BYTES
  return [...policies.values()].flatMap(({ name, maxBytes, visibility }) => {
    const about = aboutEntry('policy', name)
    return [
      ...(maxBytes > largest
        ? [
            `${about}, maxBytes: must be at most ${largest}: the store accepts ${maxParts} parts (S3_MAX_PARTS) of at most ${formatBytes(MAX_PART_BYTES)}`,
          ]
        : []),
      ...(visibility === 'public' && publicUrl === undefined
        ? [`${about}, visibility: must not be "public" unless S3_PUBLIC_URL is set`]
        : []),
    ]
  })
}

/** Returns the policy that an upload names, or undefined if it names none. @throws AppError BAD_REQUEST */
export function requirePolicy(policies: UploadPolicies, name: string | undefined): UploadPolicy | undefined {
  if (name === undefined) return undefined
  const found = policies.get(name)
  if (!found)
    throw rejected(
      'policy',
      `must be the name of an upload policy; ${JSON.stringify(name.slice(0, 64))} is not one`,
    )
  return found
}

/**
 * @throws AppError BAD_REQUEST if the operator has removed the policy of an unfinished upload. Its file cannot become
 * READY because the server no longer knows whether to hold it. The upload stays unfinished: another replica may still
 * have the policy.
 */
export function requireExistingPolicy(
  policies: UploadPolicies,
  { policy }: Pick<FileRecord, 'policy'>,
): void {
  if (policy === null || policies.has(policy)) return
  throw new AppError(
    'BAD_REQUEST',
    `This server no longer has policy "${policy}", so the upload cannot finish. Start a new one with another policy.`,
  )
}

/** `totalParts`: only multipart uploads have it. */
type Upload = { mimeType: string; size: number; totalParts?: number }

/** @throws AppError BAD_REQUEST if the policy does not allow the caller's credential, the type or the size */
export function checkPolicy(
  policy: UploadPolicy,
  { mimeType, size, totalParts }: Upload,
  token: Pick<UserTokenLimits, 'policy'> | null,
): void {
  const about = `policy "${policy.name}"`
  const fieldErrors: Record<string, string[]> = {}
  if (policy.requireUserToken && token?.policy !== policy.name)
    fieldErrors.policy = [`needs a user token with it as upload.policy, from your app's backend (${about})`]
  if (!allows(policy, mimeType))
    fieldErrors.mimeType = [
      `must be one of ${policy.mimeTypes.join(', ')} (${about}), not ${JSON.stringify(mimeType.slice(0, 255))}`,
    ]
  if (size > policy.maxBytes)
    fieldErrors.size = [
      `must be at most ${formatCount(policy.maxBytes, 'byte')} (${formatBytes(policy.maxBytes)}) (${about}), not ${size}`,
    ]
  else if (totalParts === undefined && size > SIMPLE_MAX_BYTES)
    fieldErrors.size = [
      `must be at most ${SIMPLE_MAX_BYTES} bytes (${formatBytes(SIMPLE_MAX_BYTES)}) for a simple upload, not ${size}; use upload.initiateMultipart for larger files, up to ${policy.maxBytes} bytes (${formatBytes(policy.maxBytes)}) (${about})`,
    ]
  if (Object.keys(fieldErrors).length > 0) throw invalidFields(fieldErrors)
}

function allows({ mimeTypes }: UploadPolicy, mimeType: string): boolean {
  if (!MIME_TYPE.test(mimeType) || isForbiddenType(mimeType)) return false
  return mimeTypes.some((type) =>
    type.endsWith('/*') ? mimeType.startsWith(type.slice(0, -1)) : mimeType === type,
  )
}

/**
 * Returns the part size of a file that has as many parts as the rule gives.
 * @throws AppError BAD_REQUEST if the number of parts makes them too small or too large for the store
 */
export function checkParts(
  policy: UploadPolicy,
  { size, totalParts }: { size: number; totalParts: number },
  storeMaxParts: number,
): number {
  const partBytes = partBytesFor(size, storeMaxParts)
  const most = maxParts(size, partBytes)
  const least = Math.ceil(size / MAX_PART_BYTES)
  if (totalParts > most)
    throw rejected(
      'totalParts',
      `must be ${most} (parts of ${partBytes} bytes), or fewer for larger parts (policy "${policy.name}"), not ${totalParts}`,
    )
  if (totalParts < least)
    throw rejected(
      'totalParts',
      `must be at least ${least}: a part has at most ${formatBytes(MAX_PART_BYTES)} (policy "${policy.name}"), not ${totalParts}`,
    )
  return partBytes
}

/** Returns the visibility of new READY files: that of the policy, or else `public` with S3_PUBLIC_URL. */
export function finalVisibility(
  policy: Pick<UploadPolicy, 'visibility'> | undefined,
  publicUrl: string | undefined,
): Visibility {
  return policy?.visibility ?? (publicUrl === undefined ? 'private' : 'public')
}

/** Returns the visibility that the files of a policy always have, or undefined if owners can change it. */
export function fixedVisibility(
  policies: UploadPolicies,
  file: Pick<FileRecord, 'policy'>,
  publicUrl: string | undefined,
): Visibility | undefined {
  if (publicUrl === undefined) return 'private'
  return file.policy === null ? undefined : policies.get(file.policy)?.visibility
}

/** Returns the visibility of new uploads. Files that are to be held stay private until they are accepted. */
export function initialVisibility(
  policy: Pick<UploadPolicy, 'visibility' | 'hold'> | undefined,
  publicUrl: string | undefined,
): Visibility {
  return policy?.hold ? 'private' : finalVisibility(policy, publicUrl)
}

/** Returns what becoming READY does to the owner's older files with the same policy. */
export function replacementOf(policies: UploadPolicies, file: Pick<FileRecord, 'policy'>) {
  const policy = file.policy === null ? undefined : policies.get(file.policy)
  if (!policy?.replace || policy.maxFilesPerUser === undefined) return undefined
  return { policy: policy.name, maxFiles: policy.maxFilesPerUser }
}

/** Returns until when a file that becomes HELD now waits for a verdict, or null if its policy does not hold files. */
export function heldUntil(policies: UploadPolicies, file: Pick<FileRecord, 'policy'>, now: Date) {
  const policy = file.policy === null ? undefined : policies.get(file.policy)
  return policy?.hold ? secondsAfter(now, (policy.holdHours ?? DEFAULT_HOLD_HOURS) * 3600) : null
}

/** Returns when a file that becomes READY now is deleted, or null if its policy has no `expiresInDays`. */
export function readyUntil(policies: UploadPolicies, file: Pick<FileRecord, 'policy'>, now: Date) {
  const days = file.policy === null ? undefined : policies.get(file.policy)?.expiresInDays
  return days === undefined ? null : secondsAfter(now, days * 86_400)
}

/** Returns the verdict on a held file that got none in time: reject, unless its policy says otherwise. */
export function timeoutVerdict(policies: UploadPolicies, file: Pick<FileRecord, 'policy'>): Verdict {
  return (file.policy !== null && policies.get(file.policy)?.holdTimeout) || 'reject'
}

/** Returns the rules of a policy for clients. */
export function policyLimits({ mimeTypes, maxBytes }: UploadPolicy, storeMaxParts: number) {
  return {
    mimeTypes: [...mimeTypes],
    maxSimpleBytes: Math.min(SIMPLE_MAX_BYTES, maxBytes),
    maxMultipartBytes: maxBytes,
    partBytes: partBytesFor(maxBytes, storeMaxParts),
  }
}

const rejected = (field: string, message: string) => invalidFields({ [field]: [message] })
