import { File, FileText, Film, Image, type LucideIcon } from 'lucide-react'
import { IconTile } from '../components/icon-tile.tsx'

/** Icons by the first half of the MIME type. */
const ICONS: Record<string, LucideIcon> = { image: Image, video: Film, application: FileText }

export function FileTypeIcon({ mimeType, className }: { mimeType: string; className?: string }) {
  return <IconTile icon={ICONS[mimeType.split('/')[0]!] ?? File} className={className} />
}
