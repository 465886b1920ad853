import type { BackendFile } from '@pigeonhole/client/admin'
import type { BadgeTone } from '../../components/badge.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'

/** Labels and tones of a file's states, in the filter's order. */
export const FILE_STATES: Record<BackendFile['state'], { label: PlainMessageKey; tone: BadgeTone }> = {
  HELD: { label: 'admin.files.held', tone: 'warning' },
  READY: { label: 'admin.files.ready', tone: 'usual' },
  PENDING: { label: 'admin.files.pending', tone: 'neutral' },
  UPLOADING: { label: 'admin.files.uploading', tone: 'neutral' },
  ABORTED: { label: 'admin.files.aborted', tone: 'neutral' },
  EXPIRED: { label: 'admin.files.expired', tone: 'neutral' },
  REJECTED: { label: 'admin.files.rejected', tone: 'bad' },
}
