'use client'

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { NoticeBar } from '../components/notice-bar.tsx'

type Tell = {
  /** Tells screen readers, after what they are reading. */
  announce(text: string): void
  /** Shows a message over the page, and announces it. A warning stays until it is closed. */
  notify(text: string, tone?: NoticeTone): void
}

type NoticeTone = 'info' | 'warning'

const TellContext = createContext<Tell | null>(null)

/** The page's one live region. What is announced and not only shown goes through it. */
export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', times: 0 })
  const [notice, setNotice] = useState<{ text: string; tone: NoticeTone }>()
  const announce = useCallback((text: string) => setSaid(({ times }) => ({ text, times: times + 1 })), [])
  const notify = useCallback(
    (text: string, tone: NoticeTone = 'warning') => {
      setNotice({ text, tone })
      announce(text)
    },
    [announce],
  )
  const tell = useMemo(() => ({ announce, notify }), [announce, notify])
  const close = useCallback(() => setNotice(undefined), [])
  return (
    <TellContext value={tell}>
      {children}
      {notice && <NoticeBar {...notice} onClose={close} />}
      {/* The same text again is a change only with something added that is not read. */}
      {/* `aria-live`, so that a modal dialog hides all but this. */}
      <p role="status" aria-live="polite" className="sr-only">
        {said.text + (said.times % 2 === 0 ? '' : '\u00a0')}
      </p>
    </TellContext>
  )
}

export function useTell(): Tell {
  const tell = useContext(TellContext)
  if (!tell) throw new Error('useTell needs an Announcer')
  return tell
}
