import type { File } from '../../generated/prisma/client.ts'
import type { FileRecord, FileState } from '../upload/ports.ts'

/** A row of `files` as raw SQL gives it. */
export type FileRow = {
  id: string
  user_id: string
  filename: string
  mime_type: string
  size_bytes: bigint
  key: string
  state: FileState
  upload_id: string | null
  total_parts: number | null
  part_size: bigint | null
  etag: string | null
  reject_reason: string | null
  reserved_bytes: bigint
  used_bytes: bigint
  url_expires_at: Date | null
  expires_at: Date | null
  deleted_at: Date | null
  created_at: Date
}

const number = (value: bigint | null) => (value === null ? null : Number(value))

export function fromRow(row: FileRow): FileRecord {
  return {
    id: row.id,
    userId: row.user_id,
    filename: row.filename,
    mimeType: row.mime_type,
    size: Number(row.size_bytes),
    key: row.key,
    state: row.state,
    uploadId: row.upload_id,
    totalParts: row.total_parts,
    partSize: number(row.part_size),
    etag: row.etag,
    rejectReason: row.reject_reason,
    reserved: Number(row.reserved_bytes),
    used: Number(row.used_bytes),
    urlExpiresAt: row.url_expires_at,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
    createdAt: row.created_at,
  }
}

export function fromModel(file: File): FileRecord {
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
    partSize: number(file.partSize),
    etag: file.etag,
    rejectReason: file.rejectReason,
    reserved: Number(file.reservedBytes),
    used: Number(file.usedBytes),
    urlExpiresAt: file.urlExpiresAt,
    expiresAt: file.expiresAt,
    deletedAt: file.deletedAt,
    createdAt: file.createdAt,
  }
}
