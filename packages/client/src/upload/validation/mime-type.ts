const BY_EXTENSION: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  qt: 'video/quicktime',
}

/** Other names that platforms have for the same. */
const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'video/x-m4v': 'video/mp4',
  'video/x-quicktime': 'video/quicktime',
}

/** What the platform says a file is, else what its extension says; empty when neither knows. */
export function mimeTypeOf(name: string, type: string): string {
  const given = type.split(';')[0]!.trim().toLowerCase()
  if (given !== '' && given !== 'application/octet-stream') return ALIASES[given] ?? given
  const extension = /\.([^.]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
  return (Object.hasOwn(BY_EXTENSION, extension) && BY_EXTENSION[extension]) || given
}
