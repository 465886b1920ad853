import { partLength } from '@pigeonhole/client/parts'
import type { z } from 'zod'
import { isId } from '../ids.ts'
import type { UploadDeps } from './deps.ts'
import { firstFew, planOf } from './part-check.ts'
import type { FileRecord } from './ports.ts'
import { badRequest, notFound, requireKind, wrongState } from './refusals.ts'
import type { completePartInput, partUrlsInput } from './schema.ts'
import { PART_URL_SECONDS } from './url-lifetimes.ts'

/** Signs PUTs of exactly the planned lengths. */
export async function getPartUrls(deps: UploadDeps, userId: string, input: z.output<typeof partUrlsInput>) {
  const file = await uploading(deps, userId, input.fileId)
  requirePlanned(file, input.partNumbers)
  if (!file.uploadId) throw badRequest('The upload has not begun yet. Try again in a moment.')
  const plan = planOf(file)
  const numbers = [...new Set(input.partNumbers)]
  const { urls, expiresAt } = await deps.store.presignParts(
    file.key,
    file.uploadId,
    numbers.map((partNumber) => ({ partNumber, size: partLength(plan, partNumber) })),
    PART_URL_SECONDS,
  )
  return {
    parts: numbers.map((partNumber, i) => ({ partNumber, uploadUrl: urls[i]!, headers: {} })),
    expiresAt: expiresAt.toISOString(),
  }
}

export async function getPartUrl(deps: UploadDeps, userId: string, fileId: string, partNumber: number) {
  const { parts, expiresAt } = await getPartUrls(deps, userId, { fileId, partNumbers: [partNumber] })
  return { uploadUrl: parts[0]!.uploadUrl, headers: parts[0]!.headers, expiresAt }
}

/** Takes the client's word; completion asks the store. */
export async function completePart(
  deps: UploadDeps,
  userId: string,
  { fileId, partNumber, etag }: z.output<typeof completePartInput>,
) {
  if (!isId(fileId)) throw notFound()
  const recorded = await deps.repo.recordPart(fileId, userId, partNumber, etag)
  if (recorded) return { success: true as const, uploadedParts: recorded }

  const file = await deps.repo.find(fileId, userId)
  if (!file) throw notFound()
  requireKind(file, 'multipart')
  requirePlanned(file, [partNumber])
  // The same call again, after the file was completed meanwhile.
  if (file.state === 'READY') {
    const before = await deps.repo.recordedParts(file.id)
    if (before.get(partNumber) === etag)
      return { success: true as const, uploadedParts: [...before.keys()].sort((a, b) => a - b) }
  }
  throw wrongState(file, 'part')
}

async function uploading(deps: UploadDeps, userId: string, fileId: string): Promise<FileRecord> {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  requireKind(file, 'multipart')
  if (file.state !== 'UPLOADING') throw wrongState(file, 'part')
  return file
}

function requirePlanned(file: FileRecord, numbers: number[]): void {
  const beyond = numbers.filter((n) => n > (file.totalParts ?? 0))
  if (beyond.length > 0)
    throw badRequest(`This upload has parts 1 to ${file.totalParts}; there is no part ${firstFew(beyond)}.`)
}
