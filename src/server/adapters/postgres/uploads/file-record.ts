import type { FileRecord } from '../../../domain/uploads/file-record.ts'
import type { Row } from '../sql.ts'

/** Converts a row of `files` that has at least these columns. */
export function fileRecord(row: Row<'findFiles'>): FileRecord {
  return {
    id: row.id,
    userId: row.user_id,
    filename: row.filename,
    originalFilename: row.original_filename,
    mimeType: row.mime_type,
    size: Number(row.size_bytes),
    key: row.key,
    state: row.state,
    uploadId: row.upload_id,
    totalParts: row.total_parts,
    partSize: row.part_size === null ? null : Number(row.part_size),
    etag: row.etag,
    rejectReason: row.reject_reason,
    reserved: Number(row.reserved_bytes),
    used: Number(row.used_bytes),
    thumbnailBytes: row.thumbnail_bytes,
    urlExpiresAt: row.url_expires_at,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
    trashExpiresAt: row.trash_expires_at,
    trashVisibility: row.trash_visibility,
    endedAt: row.ended_at,
    createdAt: row.created_at,
    policy: row.policy,
    data: row.data,
    visibility: row.visibility,
  }
}
