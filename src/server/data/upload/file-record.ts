import type { File } from '../../../generated/prisma/client.ts'
import type { FileRecord } from '../../upload/ports.ts'

export function fileRecord(file: File): FileRecord {
  return {
    id: file.id,
    userId: file.userId,
    filename: file.filename,
    mimeType: file.mimeType,
    size: Number(file.sizeBytes),
    key: file.key,
    state: file.state,
    uploadId: file.uploadId,
    totalParts: file.totalParts,
    partSize: file.partSize === null ? null : Number(file.partSize),
    etag: file.etag,
    rejectReason: file.rejectReason,
    reserved: Number(file.reservedBytes),
    used: Number(file.usedBytes),
    thumbnailBytes: file.thumbnailBytes,
    urlExpiresAt: file.urlExpiresAt,
    expiresAt: file.expiresAt,
    deletedAt: file.deletedAt,
    endedAt: file.endedAt,
    createdAt: file.createdAt,
  }
}

/** A row of `files` as SQL returns it, by column name. */
export type FileRow = Record<string, unknown>

/** The columns are the model's fields in snake_case (prisma/schema.prisma), with values of the same types. */
export function fileRecordOfRow(row: FileRow): FileRecord {
  const fields = Object.entries(row).map(([column, value]) => [fieldOf(column), value])
  return fileRecord(Object.fromEntries(fields) as File)
}

const fieldNames = new Map<string, string>()

function fieldOf(column: string): string {
  let field = fieldNames.get(column)
  if (field === undefined) {
    field = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    fieldNames.set(column, field)
  }
  return field
}
