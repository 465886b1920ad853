import { usePathname } from 'next/navigation'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { NoticeTone } from '../components/notice-bar.tsx'

type Announcer = {
  /** Announces a text to screen readers after their current one. */
  announce(text: string): void
  /**
   * Shows a message over the page and announces it. A warning (the default) stays until the user closes it, `offline` only
   * until the browser is online again or another page has opened.
   */
  notify(text: string, tone?: NoticeTone): void
}

const AnnouncerContext = createContext<Announcer | null>(null)
type ShownNotice = { text: string; tone: NoticeTone; onClose(): void }

const NoticeContext = createContext<ShownNotice | null>(null)

/** Provides announcements, through the page's only live region. */
export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [announcement, setAnnouncement] = useState({ text: '', times: 0 })
  const [notice, setNotice] = useState<{ text: string; tone: NoticeTone; pathname: string }>()
  const pathname = usePathname()
  const shown = useRef(pathname)
  shown.current = pathname
  const announce = useCallback(
    (text: string) => setAnnouncement(({ times }) => ({ text, times: times + 1 })),
    [],
  )
  const notify = useCallback(
    (text: string, tone: NoticeTone = 'warning') => {
      setNotice({ text, tone, pathname: shown.current })
      announce(text)
    },
    [announce],
  )
  const announcer = useMemo(() => ({ announce, notify }), [announce, notify])
  const close = useCallback(() => setNotice(undefined), [])
  const shownNotice = useMemo(
    () => (notice ? { text: notice.text, tone: notice.tone, onClose: close } : null),
    [notice, close],
  )
  useEffect(() => {
    if (notice?.tone !== 'offline') return
    if (notice.pathname !== pathname) return close()
    addEventListener('online', close)
    return () => removeEventListener('online', close)
  }, [notice, pathname, close])
  return (
    <AnnouncerContext value={announcer}>
      <NoticeContext value={shownNotice}>{children}</NoticeContext>
      {/* A repeated text needs an inaudible change, or screen readers ignore it. */}
      {/* `aria-live` exempts this element when a modal dialog hides the rest of the page. */}
      <p role="status" aria-live="polite" className="sr-only">
        {announcement.text + (announcement.times % 2 === 0 ? '' : '\u00a0')}
      </p>
    </AnnouncerContext>
  )
}

/** Returns the message over the page, or null. */
export function useNotice(): ShownNotice | null {
  return useContext(NoticeContext)
}

/** Returns true while the page shows a message with the tone `offline`, so that no second one is needed. */
export function useHasOfflineNotice(): boolean {
  return useNotice()?.tone === 'offline'
}

export function useAnnouncer(): Announcer {
  const announcer = useContext(AnnouncerContext)
  if (!announcer) throw new Error('useAnnouncer needs an AnnouncerProvider')
  return announcer
}
