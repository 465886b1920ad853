import { formatBytes } from '@pigeonhole/client/format'
import {
  ALLOWED_MIME_TYPES,
  FILE_MAX_BYTES,
  PART_BYTES,
  SIMPLE_MAX_BYTES,
  URLS_PER_CALL,
} from '@pigeonhole/client/limits'
import { maxParts } from '@pigeonhole/client/parts'
import { z } from 'zod'
import { flatData } from '../../kernel/flat-data.ts'
import { cursorInput, pageOf } from '../../kernel/page.ts'
import { isForbiddenType, MIME_TYPE } from './media-types.ts'
import { plainEtag } from './object-store.ts'
import { webpSize } from './webp.ts'

export const FILE_STATES = [
  'PENDING',
  'UPLOADING',
  'HELD',
  'READY',
  'ABORTED',
  'EXPIRED',
  'REJECTED',
] as const

/** `public`: anyone can read the file below S3_PUBLIC_URL. `private`: through this server only. */
export const VISIBILITIES = ['private', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

export const VERDICTS = ['accept', 'reject'] as const
export type Verdict = (typeof VERDICTS)[number]

const string = z.string({ error: 'must be a string' })

/** 1 to 255 characters (Unicode code points) after trimming. */
const filename = string
  .trim()
  .refine((name) => name.isWellFormed(), {
    error: 'must be valid Unicode (it contains half of a surrogate pair)',
    abort: true,
  })
  .refine((name) => name.length > 0, { error: 'must not be empty', abort: true })
  .refine((name) => [...name].length <= 255, 'must have at most 255 characters')
  .refine((name) => !/[\p{Cc}\u2028\u2029]/u.test(name), 'must not contain control characters')
  .refine((name) => !/[/\\]/.test(name), 'must not contain "/" or "\\": send the name without its folder')

const mimeTypeError = { error: `must be one of ${ALLOWED_MIME_TYPES.join(', ')}` }

/** Any type, because the upload's policy decides which are allowed. */
const mimeType = z.string(mimeTypeError).meta({
  description: `Without a policy, one of ${ALLOWED_MIME_TYPES.join(', ')}.`,
})

const size = z.int({ error: 'must be a whole number of bytes' }).min(1, 'must be at least 1 byte')

/** Any string, because an ID that is not the caller's is NOT_FOUND, not a validation error. */
const fileId = string

const count = z.int({ error: 'must be a whole number' }).min(1, 'must be at least 1')

const partNumber = count.max(10_000, 'must be at most the number of parts')

const isPlainText = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)
const plainTextError = 'must be valid Unicode without control characters'

const idempotencyKey = string
  .regex(/^[\s\S]{1,64}$/u, 'must have 1 to 64 characters')
  .refine(isPlainText, plainTextError)
  .optional()

const policy = string.optional()

const data = flatData.optional()

/** Input of an upload. Without a policy, type and size are checked together with the fields' own rules. */
type Begun = { policy?: unknown; mimeType?: unknown; size?: unknown; totalParts?: unknown }
const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isDefault = (input: Begun) => input.policy === undefined
const hasDefaultType = (input: Begun) =>
  !isDefault(input) || typeof input.mimeType !== 'string' || ALLOWED.has(input.mimeType)
const defaultType = {
  ...mimeTypeError,
  path: ['mimeType'],
  when: ({ value }: { value: unknown }) => isObject(value),
}
const ALLOWED: ReadonlySet<string> = new Set(ALLOWED_MIME_TYPES)

export const fileIdInput = z.strictObject({ fileId })

export const requestUploadUrlInput = z
  .strictObject({
    filename,
    mimeType,
    size: size.meta({ maximum: SIMPLE_MAX_BYTES }),
    idempotencyKey,
    policy,
    data,
  })
  .refine(hasDefaultType, defaultType)
  .refine(
    (input: Begun) => !isDefault(input) || typeof input.size !== 'number' || input.size <= SIMPLE_MAX_BYTES,
    {
      error: `must be at most ${SIMPLE_MAX_BYTES} bytes (${formatBytes(SIMPLE_MAX_BYTES)}) for a simple upload; use upload.initiateMultipart for larger files, up to ${FILE_MAX_BYTES} bytes (${formatBytes(FILE_MAX_BYTES)})`,
      path: ['size'],
      when: ({ value }) => isObject(value),
    },
  )

export const initiateMultipartInput = z
  .strictObject({ filename, mimeType, size, totalParts: count, idempotencyKey, policy, data })
  .refine(hasDefaultType, defaultType)
  .refine(
    (input: Begun) => !isDefault(input) || typeof input.size !== 'number' || input.size <= FILE_MAX_BYTES,
    {
      error: `must be at most ${FILE_MAX_BYTES} bytes (${formatBytes(FILE_MAX_BYTES)})`,
      path: ['size'],
      when: ({ value }) => isObject(value),
      abort: true,
    },
  )
  .refine((input) => !isDefault(input) || input.totalParts <= maxParts(input.size), {
    path: ['totalParts'],
    error: ({ input }) => {
      const max = maxParts((input as { size: number }).size)
      return `must be ${max} (parts of ${PART_BYTES} bytes), or fewer for larger parts`
    },
  })

export const limitsInput = z.strictObject({ policy })

export const partInput = z.strictObject({ fileId, partNumber })

export const partUrlsInput = z.strictObject({
  fileId,
  partNumbers: z
    .array(partNumber, { error: 'must be a list of part numbers' })
    .min(1, 'must have at least one part number')
    .max(URLS_PER_CALL, `must have at most ${URLS_PER_CALL} part numbers`),
})

export const completePartInput = z.strictObject({
  fileId,
  partNumber,
  /** Without quotes after parsing. */
  etag: string
    .transform(plainEtag)
    .refine(
      (etag) => /^[\x20-\x7e]{1,1024}$/.test(etag),
      'must be the ETag that the object store returned: 1 to 1024 characters, with or without quotes',
    ),
})

const MAX_FILTERED_TYPES = 20
const isFilterType = (type: string) => MIME_TYPE.test(type) && !isForbiddenType(type)

const fileFilter = {
  /** Words that must all be in the name. */
  query: string.max(255, 'must have at most 255 characters').refine(isPlainText, plainTextError).optional(),
  /** Policies can allow any type. */
  mimeTypes: z
    .array(string.refine(isFilterType, 'must be a type that an upload can have, such as image/png'), {
      error: 'must be a list of types',
    })
    .min(1, 'must have at least one type')
    .max(MAX_FILTERED_TYPES, `must have at most ${MAX_FILTERED_TYPES} types`)
    .optional(),
}

export const listFilesInput = z.strictObject({
  ...cursorInput,
  limit: count.max(100, 'must be at most 100').default(50),
  ...fileFilter,
  sort: z
    .enum(['newest', 'oldest', 'name', 'largest'], { error: 'must be newest, oldest, name or largest' })
    .default('newest'),
})

export const deleteFileInput = z.strictObject({
  fileId,
  /** Moves a ready file to the trash. Other files are deleted at once. */
  trash: z.boolean({ error: 'must be true or false' }).optional(),
})

export const trashInput = z.strictObject({
  ...cursorInput,
  limit: count.max(100, 'must be at most 100').default(50),
})

export const fileTotalsInput = z.strictObject(fileFilter)

export const renameFileInput = z.strictObject({ fileId, filename })

/** Thumbnails that our pages create have about 4 KB and 160 pixels on the longer side. */
const MAX_THUMBNAIL_BYTES = 32 * 1024
const MAX_THUMBNAIL_SIDE = 320
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Image in base64, as bytes after parsing. */
const thumbnail = string
  .refine((text) => text.length <= Math.ceil(MAX_THUMBNAIL_BYTES / 3) * 4 && BASE64.test(text), {
    error: `must be at most ${MAX_THUMBNAIL_BYTES} bytes, encoded in base64`,
    abort: true,
  })
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length <= MAX_THUMBNAIL_BYTES, `must have at most ${MAX_THUMBNAIL_BYTES} bytes`)
  .refine((bytes) => webpSize(bytes) !== null, {
    error: 'must be a WebP image without animation',
    abort: true,
  })
  .refine((bytes) => {
    const size = webpSize(bytes)
    return size !== null && Math.max(size.width, size.height) <= MAX_THUMBNAIL_SIDE
  }, `must have at most ${MAX_THUMBNAIL_SIDE} pixels on each side`)

export const setVisibilityInput = z.strictObject({
  fileId,
  visibility: z.enum(VISIBILITIES, { error: 'must be private or public' }),
})

export const setThumbnailInput = z.strictObject({ fileId, data: thumbnail })

export const downloadUrlInput = z.strictObject({ fileId, download: z.boolean().optional() })

export type LimitsInput = z.output<typeof limitsInput>
export type RequestUploadUrlInput = z.output<typeof requestUploadUrlInput>
export type InitiateMultipartInput = z.output<typeof initiateMultipartInput>
export type PartUrlsInput = z.output<typeof partUrlsInput>
export type CompletePartInput = z.output<typeof completePartInput>
export type ListFilesInput = z.output<typeof listFilesInput>
export type DeleteFileInput = z.output<typeof deleteFileInput>
export type TrashInput = z.output<typeof trashInput>
export type FileTotalsInput = z.output<typeof fileTotalsInput>
export type RenameFileInput = z.output<typeof renameFileInput>
export type SetVisibilityInput = z.output<typeof setVisibilityInput>
export type SetThumbnailInput = z.output<typeof setThumbnailInput>

const time = z.iso.datetime()
/** Headers that the client must set on the PUT, exactly. Never Content-Length, which HTTP clients set themselves. */
const headers = z.record(z.string(), z.string())

export const requestUploadUrlOutput = z.object({
  uploadUrl: z.string(),
  fileId: z.string(),
  key: z.string(),
  expiresAt: time,
  headers,
})

export const initiateMultipartOutput = z.object({
  fileId: z.string(),
  uploadId: z.string(),
  key: z.string(),
  partSize: z.number(),
})

export const partUrlOutput = z.object({ uploadUrl: z.string(), expiresAt: time, headers })

export const partUrlsOutput = z.object({
  parts: z.array(z.object({ partNumber: z.number(), uploadUrl: z.string(), headers })),
  expiresAt: time,
})

const successOutput = z.object({ success: z.literal(true) })

export const completePartOutput = successOutput.extend({ uploadedParts: z.array(z.number()) })

export const finishedOutput = successOutput
  .extend({
    file: z.object({
      id: z.string(),
      filename: z.string(),
      url: z.string(),
      /** Present while the file waits for a verdict, and `url` is NOT_FOUND. */
      state: z.literal('HELD').optional(),
    }),
  })
  .meta({ id: 'FinishedUpload' })

export type FinishedUpload = z.output<typeof finishedOutput>

/** The app's own values that the upload began with. Null: none. */
export const storedData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullable()
/** Name of the upload's policy. Null: none. */
export const storedPolicy = z.string().nullable()

/** Counts and bytes. */
export const limitsOutput = z
  .object({
    mimeTypes: z.array(z.string()),
    maxSimpleBytes: z.number(),
    maxMultipartBytes: z.number(),
    partBytes: z.number(),
    maxOpenUploads: z.number(),
  })
  .meta({ id: 'UploadLimits' })

export const statusOutput = z
  .object({
    fileId: z.string(),
    state: z.enum(FILE_STATES),
    size: z.number(),
    partSize: z.number().nullable(),
    totalParts: z.number().nullable(),
    uploadedParts: z.array(z.number()).nullable(),
    parts: z.array(z.object({ partNumber: z.number(), size: z.number(), etag: z.string() })).nullable(),
    expiresAt: time.nullable(),
    policy: storedPolicy,
    data: storedData,
  })
  .meta({ id: 'UploadStatus' })

const file = z
  .object({
    id: z.string(),
    filename: z.string(),
    mimeType: z.string(),
    size: z.number(),
    state: z.enum(FILE_STATES),
    url: z.string().nullable(),
    /** Null: the file has no thumbnail. */
    thumbnailUrl: z.string().nullable(),
    visibility: z.enum(VISIBILITIES),
    /** True: `files.setVisibility` is BAD_REQUEST, because S3_PUBLIC_URL or the policy decides. */
    visibilityFixed: z.boolean(),
    /** True: a shared link to the file works. */
    shared: z.boolean(),
    policy: storedPolicy,
    data: storedData,
    createdAt: time,
  })
  .meta({ id: 'File' })

export const listFilesOutput = pageOf(file)

/** Sorted by bytes, largest first. `bytes` is the share of the quota. */
export const fileTotalsOutput = z.object({
  items: z.array(z.object({ mimeType: z.string(), files: z.number(), bytes: z.number() })),
  /** All files in the trash, whatever the filter. */
  trash: z.object({ files: z.number(), bytes: z.number() }),
})

const trashedFile = file
  .pick({ id: true, filename: true, mimeType: true, size: true, policy: true, data: true, createdAt: true })
  .extend({
    trashedAt: time,
    /** Time at which it is permanently deleted. */
    expiresAt: time,
  })
  .meta({ id: 'TrashedFile' })

export const trashOutput = pageOf(trashedFile)

export const emptyTrashOutput = successOutput.extend({ deleted: z.number() })

export const setVisibilityOutput = successOutput.extend({ visibility: z.enum(VISIBILITIES), url: z.string() })

export const downloadUrlOutput = z.object({ url: z.string(), expiresAt: time })

/** Bytes. */
export const usageOutput = z.object({ used: z.number(), reserved: z.number(), quota: z.number() })
