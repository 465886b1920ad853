import type { UploaderSnapshot } from '@pigeonhole/client/browser'
import { useEffect, useRef } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useUploads } from '../context/use-uploads.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { Translator } from '../i18n/translator.ts'
import { offlineNoticeKey, unfinishedCount } from './unfinished-count.ts'

/** Minimum interval between announcements, because many small files can finish every second. */
const INTERVAL_MS = 4000

/** Announces to screen readers how many uploads have ended and that the network is unavailable, but no percentages. */
export function UploadAnnouncer() {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const snapshot = useUploads()
  const { counts, uploads, online } = snapshot
  const latest = summary(snapshot, t)
  const announcedAt = useRef(Number.NEGATIVE_INFINITY)
  const allEnded = uploads.length > 0 && counts.done + counts.failed === uploads.length
  useEffect(() => {
    if (latest === '') return
    const waitMs = allEnded ? 0 : Math.max(0, announcedAt.current + INTERVAL_MS - performance.now())
    const timer = setTimeout(() => {
      announcedAt.current = performance.now()
      announce(latest)
    }, waitMs)
    return () => clearTimeout(timer)
  }, [latest, allEnded, announce])
  const isOffline = !online && unfinishedCount(snapshot) > 0
  const notice = isOffline ? offlineNoticeKey(snapshot) : null
  useEffect(() => {
    if (notice) announce(t(notice))
  }, [notice, announce, t])
  return null
}

function summary({ counts: { done, failed }, uploads: { length: total } }: UploaderSnapshot, t: Translator) {
  if (total === 0 || done + failed === 0) return ''
  return failed > 0
    ? t('uploads.announceFailed', { done, total, failed })
    : t('uploads.announceDone', { done, total })
}
