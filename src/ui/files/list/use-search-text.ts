import { useEffect, useRef, useState } from 'react'
import { cleanQuery, type FileView } from './file-view.ts'

/** Pause in typing after which the search starts. */
const PAUSE_MS = 250

/**
 * State of the search field. Text typed without leaving the field is one entry in the browser's history, and going back
 * or forward also changes the text.
 */
export function useSearchText(
  query: string,
  change: (part: Partial<FileView>, how?: 'push' | 'replace') => void,
) {
  const [text, setText] = useState(query)
  /**
   * The last rendered query, followed by those that this field has written to the address since. On a busy machine
   * renders are late, and an older query must not overwrite newer text.
   */
  const queries = useRef([query])
  const typing = useRef(false)

  useEffect(() => {
    const rendered = queries.current.lastIndexOf(query)
    if (rendered !== -1) {
      queries.current.splice(0, rendered)
      return
    }
    queries.current = [query]
    typing.current = false
    setText(query)
  }, [query])

  function search() {
    const next = cleanQuery(text)
    if (next === queries.current.at(-1)) return
    queries.current.push(next)
    change({ query: next }, typing.current ? 'replace' : 'push')
    typing.current = true
  }
  const latestSearch = useRef(search)
  latestSearch.current = search

  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts the wait after every key
  useEffect(() => {
    const timer = setTimeout(() => latestSearch.current(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return {
    text,
    setText,
    /** Call on Enter and on leaving the field. The next search is a new history entry. */
    finish() {
      search()
      typing.current = false
    },
  }
}
