import type { PlainMessageKey } from '../i18n/message-types.ts'

const KEYS: Record<string, PlainMessageKey> = {
  'image/jpeg': 'fileTypes.jpeg',
  'image/png': 'fileTypes.png',
  'image/gif': 'fileTypes.gif',
  'image/webp': 'fileTypes.webp',
  'application/pdf': 'fileTypes.pdf',
  'video/mp4': 'fileTypes.mp4',
  'video/quicktime': 'fileTypes.quicktime',
}

/** Returns the message key of a file type that the server accepts. */
export function fileTypeKey(mimeType: string): PlainMessageKey | undefined {
  return KEYS[mimeType]
}
