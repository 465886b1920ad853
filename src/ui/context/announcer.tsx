import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { NoticeBar } from '../components/notice-bar.tsx'

type Announcer = {
  /** Announces a text to screen readers after their current one. */
  announce(text: string): void
  /** Shows a message over the page and announces it. A warning (the default) stays until the user closes it. */
  notify(text: string, tone?: NoticeTone): void
}

type NoticeTone = 'info' | 'warning'

const AnnouncerContext = createContext<Announcer | null>(null)

/** Provides announcements, through the page's only live region. */
export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [announcement, setAnnouncement] = useState({ text: '', times: 0 })
  const [notice, setNotice] = useState<{ text: string; tone: NoticeTone }>()
  const announce = useCallback(
    (text: string) => setAnnouncement(({ times }) => ({ text, times: times + 1 })),
    [],
  )
  const notify = useCallback(
    (text: string, tone: NoticeTone = 'warning') => {
      setNotice({ text, tone })
      announce(text)
    },
    [announce],
  )
  const announcer = useMemo(() => ({ announce, notify }), [announce, notify])
  const close = useCallback(() => setNotice(undefined), [])
  return (
    <AnnouncerContext value={announcer}>
      {children}
      {notice && <NoticeBar {...notice} onClose={close} />}
      {/* A repeated text needs an inaudible change, or screen readers ignore it. */}
      {/* `aria-live` exempts this element when a modal dialog hides the rest of the page. */}
      <p role="status" aria-live="polite" className="sr-only">
        {announcement.text + (announcement.times % 2 === 0 ? '' : '\u00a0')}
      </p>
    </AnnouncerContext>
  )
}

export function useAnnouncer(): Announcer {
  const announcer = useContext(AnnouncerContext)
  if (!announcer) throw new Error('useAnnouncer needs an AnnouncerProvider')
  return announcer
}
