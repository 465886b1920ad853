import { isId } from '../../kernel/ids.ts'
import { randomBytes16 } from '../../kernel/random-bytes.ts'
import type { Visibility } from './schema.ts'

/** Prefix of staged bytes, the only place where a presigned PUT of a whole object can write. */
export const STAGING_PREFIX = 'staging/'
/** Prefix of confirmed objects, and of multipart uploads, which become objects only when completed. */
export const FINAL_PREFIX = 'files/'
/** The same for public files, which S3_PUBLIC_URL serves. */
export const PUBLIC_PREFIX = 'public/'

/**
 * Returns `{files or public}/{user}/{file}-{128 random bits}/{cleaned name}`. The random part keeps the key secret although links
 * contain the file's ID: on stores that accept unsigned `x-amz-*` headers, a known key could be a copy source
 * (docs/storage.md).
 */
export function finalKey(userId: string, fileId: string, filename: string, visibility: Visibility): string {
  const prefix = visibility === 'public' ? PUBLIC_PREFIX : FINAL_PREFIX
  return `${prefix}${userId}/${fileId}-${randomBytes16().toString('hex')}/${cleanName(filename)}`
}

/** Returns where a simple upload's bytes are until confirmation. */
export function stagingKey(key: string): string {
  const [, , unique] = key.split('/')
  if (!unique) throw new Error('not a final key')
  return `${STAGING_PREFIX}${unique}`
}

/** Returns the ID of the file that a staged object belongs to, or undefined if this service did not create the key. */
export function fileIdOf(key: string): string | undefined {
  const [, id] = /^staging\/(.{36})-[0-9a-f]{32}$/.exec(key) ?? []
  return id !== undefined && isId(id) ? id : undefined
}

/**
 * Returns a name that every store, CDN and shell accepts: at most 100 ASCII letters, digits, `.`, `_` and `-`. Keeps the
 * extension, drops accents, and replaces other characters with `_`.
 */
export function cleanName(filename: string): string {
  const ascii = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._-]+|[._-]+$/g, '')
    .replace(/\.{2,}/g, '.')
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(ascii)?.[0] ?? ''
  const stem = ascii.slice(0, ascii.length - extension.length).slice(0, 100 - extension.length)
  return stem + extension || 'file'
}
