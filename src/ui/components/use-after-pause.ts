import { useEffect, useState } from 'react'

/** Pause in typing after which the page asks the server. */
const PAUSE_MS = 250

/** Returns the text once it has not changed for a moment. */
export function useAfterPause(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
