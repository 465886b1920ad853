import { z } from 'zod'
import type { AdminActor } from '../../kernel/audit.ts'
import { AppError } from '../../kernel/errors.ts'
import type { FlatData } from '../../kernel/flat-data.ts'
import { isId } from '../../kernel/ids.ts'
import { pageInput, pageOf, readPage } from '../../kernel/page.ts'
import { isStorable, searchText } from '../../kernel/text.ts'
import { jsonTime, whole } from '../../kernel/validation.ts'
import { deleteFile } from './deletion.ts'
import { notFound } from './errors.ts'
import { presignFile } from './file-queries.ts'
import { isStored } from './file-record.ts'
import { fileUrl, visibilityOf } from './file-url.ts'
import { timeoutVerdict } from './policies.ts'
import { FILE_STATES, storedData, storedPolicy, VERDICTS, VISIBILITIES, type Visibility } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'
import { decideFile, type VerdictInput } from './verdicts.ts'

/** One key and the text of its value. */
const dataFilter = z
  .record(z.string(), z.string(), { error: 'must name a key, such as data.order=A1' })
  .refine((filter) => Object.keys(filter).length === 1, 'must have exactly one key')
  .refine(
    (filter) => Object.entries(filter).flat().every(isStorable),
    'must not contain NUL or unpaired surrogates',
  )
  .meta({ minProperties: 1, maxProperties: 1 })
  .optional()
  .meta({
    param: { style: 'deepObject', explode: true },
    description: 'Only files with this value, also written `data.KEY=VALUE`.',
  })

/** Query of GET /api/admin/files. */
export const listBackendFilesInput = z
  .strictObject({
    userId: z.string().optional(),
    externalId: searchText(255).optional(),
    policy: searchText(255).optional(),
    state: z.enum(FILE_STATES).optional(),
    /** Part of the file name, in any case. */
    query: searchText(255).optional(),
    data: dataFilter,
    ...pageInput.shape,
  })
  .refine(({ userId, externalId }) => userId === undefined || externalId === undefined, {
    path: ['externalId'],
    error: 'cannot be combined with userId: choose one',
  })

/** File as shown to an app's backend. */
export const backendFileOutput = z
  .object({
    id: z.string(),
    userId: z.string(),
    externalId: z.string().nullable(),
    /** Owner, for display. */
    user: z.object({ email: z.string().nullable(), name: z.string().nullable() }),
    filename: z.string(),
    mimeType: z.string(),
    size: z.number(),
    state: z.enum(FILE_STATES),
    key: z.string(),
    policy: storedPolicy,
    data: storedData,
    visibility: z.enum(VISIBILITIES),
    /** Null until the file is ready. */
    url: z.string().nullable(),
    createdAt: jsonTime,
    readyAt: jsonTime.nullable(),
    /** When the sweeper expires an unfinished upload, decides about a held file, or deletes a ready one. */
    expiresAt: jsonTime.nullable(),
    /** Verdict of the sweeper on a held file at `expiresAt`. Null for other files. */
    timeoutVerdict: z.enum(VERDICTS).nullable(),
  })
  .meta({
    id: 'BackendFile',
    examples: [
      {
        id: '019aa6f2-3d4e-7f50-8162-7c8d9e0f1a2b',
        userId: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
        externalId: 'customer-4711',
        user: { email: 'ada@example.com', name: 'Ada' },
        filename: 'cat.png',
        mimeType: 'image/png',
        size: 70,
        state: 'READY',
        key: 'files/019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f/019aa6f2-3d4e-7f50-8162-7c8d9e0f1a2b/cat.png',
        policy: null,
        data: null,
        visibility: 'private',
        url: 'https://files.example.com/files/019aa6f2-3d4e-7f50-8162-7c8d9e0f1a2b',
        createdAt: '2026-11-21T12:00:00.000Z',
        readyAt: '2026-11-21T12:00:05.000Z',
        expiresAt: null,
        timeoutVerdict: null,
      },
    ],
  })

export const listBackendFilesOutput = pageOf(backendFileOutput)

/** Body of POST /api/admin/files/{id}/url. */
export const backendFileUrlInput = z
  .strictObject({ ttlSeconds: whole(60, 604_800).default(300), download: z.boolean().default(false) })
  .meta({ examples: [{ ttlSeconds: 3600, download: true }] })

export const backendFileUrlOutput = z.object({ url: z.string(), expiresAt: jsonTime }).meta({
  examples: [
    {
      url: 'https://holes.s3.eu-central-1.amazonaws.com/files/019aa6f0/cat.png?X-Amz-Signature=...',
      expiresAt: '2026-11-21T13:00:00.000Z',
    },
  ],
})

type BackendFile = z.input<typeof backendFileOutput>
type BackendFileRow = Omit<BackendFile, 'user' | 'visibility' | 'url' | 'timeoutVerdict'> & {
  userEmail: string | null
  userName: string | null
  visibility: Visibility | null
}

/** No method finds deleted files. */
export type BackendFileRepo = {
  /** Newest first. Null: any. */
  list(search: {
    userId: string | null
    policy: string | null
    state: BackendFile['state'] | null
    query: string | null
    /** Values of `data` as JSON objects with one key. A file has to contain one of them. */
    data: [FlatData, FlatData] | null
    beforeId: string | undefined
    limit: number
  }): Promise<BackendFileRow[]>
  find(id: string): Promise<BackendFileRow | null>
}

/** A number as JSON writes it. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Returns the values that the text can stand for: the text itself, and the number or boolean that it is in JSON.
 */
function valuesOf(filter: Record<string, string>): [FlatData, FlatData] {
  const [[key, text]] = Object.entries(filter) as [[string, string]]
  const isTyped = text === 'true' || text === 'false' || (NUMBER.test(text) && Number.isFinite(Number(text)))
  return [{ [key]: text }, { [key]: isTyped ? JSON.parse(text) : text }]
}

type BackendFilesDeps = {
  deps: UploadDeps
  files: BackendFileRepo
  /** Returns the ID of the user with this `externalId`, or null. */
  findExternalUser: (externalId: string) => Promise<string | null>
}

export type BackendFiles = ReturnType<typeof createBackendFiles>

/** Reads and deletes files of all users, for administrators and an app's backend. */
export function createBackendFiles({ deps, files, findExternalUser }: BackendFilesDeps) {
  function viewOf({ userEmail, userName, ...file }: BackendFileRow): BackendFile {
    return {
      ...file,
      user: { email: userEmail, name: userName },
      visibility: visibilityOf(deps.urls, file),
      url: file.state === 'READY' ? fileUrl(deps.urls, file) : null,
      timeoutVerdict: file.state === 'HELD' ? timeoutVerdict(deps.settings.policies, file) : null,
    }
  }

  async function require(id: string): Promise<BackendFileRow> {
    const file = isId(id) ? await files.find(id) : null
    if (!file) throw notFound()
    return file
  }

  return {
    /** Newest first; empty for an unknown user. @throws AppError BAD_REQUEST if this service did not issue the cursor */
    list: ({
      userId,
      externalId,
      policy,
      state,
      query,
      data,
      ...page
    }: z.output<typeof listBackendFilesInput>) =>
      readPage(page, async (range) => {
        const owner = externalId === undefined ? (userId ?? null) : await findExternalUser(externalId)
        if (owner === null ? externalId !== undefined : !isId(owner)) return []
        const search = {
          policy: policy ?? null,
          state: state ?? null,
          query: query ?? null,
          data: data ? valuesOf(data) : null,
        }
        return (await files.list({ userId: owner, ...search, ...range })).map(viewOf)
      }),

    /** @throws AppError NOT_FOUND */
    find: async (id: string) => viewOf(await require(id)),

    /** Returns the file. @throws AppError NOT_FOUND; CONFLICT if the file is neither HELD nor in the verdict's state */
    async verdict(id: string, input: VerdictInput, by: AdminActor) {
      await decideFile(deps, id, input, by)
      return viewOf(await require(id))
    },

    /** Deletes a file as its owner would, or ends its unfinished upload. Idempotent. @throws AppError NOT_FOUND */
    async delete(id: string): Promise<void> {
      const [file] = isId(id) ? await deps.repo.findAll([id]) : []
      if (!file) throw notFound()
      await deleteFile(deps, file.userId, id)
    },

    /** Presigns a GET, even of a HELD file, for a check. @throws AppError NOT_FOUND; CONFLICT if it is not stored */
    async url(id: string, { ttlSeconds, download }: z.output<typeof backendFileUrlInput>) {
      const file = await require(id)
      const { state } = file
      if (!isStored({ state }))
        throw new AppError('CONFLICT', `The file is ${state}, not READY or HELD. It cannot be downloaded.`)
      // No one has accepted a held file, so a browser must not display it.
      return presignFile(deps, file, { download: download || state === 'HELD', seconds: ttlSeconds })
    },
  }
}
