const NAMES: Record<string, string> = {
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'application/pdf': 'PDF document',
  'video/mp4': 'MP4 video',
  'video/quicktime': 'QuickTime video',
}

export function fileTypeName(mimeType: string): string {
  return NAMES[mimeType] ?? mimeType
}
