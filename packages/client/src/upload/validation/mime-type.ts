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
  // Policies can allow these.
  csv: 'text/csv',
  txt: 'text/plain',
  json: 'application/json',
  zip: 'application/zip',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  webm: 'video/webm',
  avif: 'image/avif',
  heic: 'image/heic',
}

/** Other names of the types, as platforms use them. */
const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'video/x-m4v': 'video/mp4',
  'video/x-quicktime': 'video/quicktime',
}

/** Returns the platform's type of a file, or the type of its extension; empty if both are unknown. */
export function mimeTypeOf(name: string, type: string): string {
  const given = type.split(';')[0]!.trim().toLowerCase()
  if (given !== '' && given !== 'application/octet-stream') return ALIASES[given] ?? given
  const extension = /\.([^.]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
  return (Object.hasOwn(BY_EXTENSION, extension) && BY_EXTENSION[extension]) || given
}
