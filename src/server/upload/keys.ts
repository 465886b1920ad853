import { randomBytes } from 'node:crypto'

/** Only simple uploads land here, and only here may a presigned PUT write an object. */
export const STAGING_PREFIX = 'staging/'
/** Confirmed objects, and multipart uploads, which do not exist as objects before their completion. */
export const FINAL_PREFIX = 'files/'

/**
 * `files/{user}/{file}-{128 random bits}/{cleaned name}`. A file's id appears in links that people pass on;
 * the random part keeps the key unguessable nevertheless, so that nobody can name it as a copy source on a
 * store that accepts unsigned `x-amz-*` headers (docs/storage.md).
 */
export function finalKey(userId: string, fileId: string, filename: string): string {
  return `${FINAL_PREFIX}${userId}/${fileId}-${randomBytes(16).toString('hex')}/${cleanName(filename)}`
}

/** Where the bytes of a simple upload wait for their confirmation. */
export function stagingKey(key: string): string {
  const [, , unique] = key.split('/')
  if (!unique) throw new Error('not a final key')
  return `${STAGING_PREFIX}${unique}`
}

/** The file id that a final key was made for, or undefined if it is no key of ours. */
export function fileIdOf(key: string): string | undefined {
  return /^files\/[^/]+\/([0-9a-f-]{36})-[0-9a-f]{32}\//.exec(key)?.[1]
}

/**
 * A name that every store, CDN and shell takes: ASCII letters, digits, `.`, `_` and `-`, at most 100,
 * the extension kept. Accents go, other letters become `_`.
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
