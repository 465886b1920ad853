import clsx from 'clsx'
import { File, FileText, Film, Image, type LucideIcon } from 'lucide-react'

const BY_KIND: Record<string, LucideIcon> = { image: Image, video: Film, application: FileText }

export function TypeIcon({ mimeType, className }: { mimeType: string; className?: string }) {
  const Icon = BY_KIND[mimeType.split('/')[0]!] ?? File
  return (
    <span
      className={clsx(
        'flex size-10 shrink-0 items-center justify-center rounded-lg bg-sunken text-ink-soft',
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-5" />
    </span>
  )
}

const NAMES: Record<string, string> = {
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'application/pdf': 'PDF document',
  'video/mp4': 'MP4 video',
  'video/quicktime': 'QuickTime video',
}

export function typeName(mimeType: string): string {
  return NAMES[mimeType] ?? mimeType
}
