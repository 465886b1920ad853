'use client'

import { useEffect, useRef, useState } from 'react'
import { cleanQuery, type FileView } from './file-view.ts'

/** Search when nothing was typed for so long. */
const PAUSE_MS = 250

/**
 * The text of the search field. What is typed in one go is one step of the browser's history, and back and forward
 * change the text too.
 */
export function useSearchText(
  query: string,
  change: (part: Partial<FileView>, how?: 'push' | 'replace') => void,
) {
  const [text, setText] = useState(query)
  /**
   * The query that was rendered last, and those that this field has put into the address since. Renders are late on a
   * busy machine: one of an older query must not take back what has been typed after it.
   */
  const own = useRef([query])
  const typing = useRef(false)

  useEffect(() => {
    const rendered = own.current.lastIndexOf(query)
    if (rendered !== -1) {
      own.current.splice(0, rendered)
      return
    }
    own.current = [query]
    typing.current = false
    setText(query)
  }, [query])

  function search(wanted = cleanQuery(text)) {
    if (wanted === own.current.at(-1)) return
    own.current.push(wanted)
    change({ query: wanted }, typing.current ? 'replace' : 'push')
    typing.current = true
  }
  const latestSearch = useRef(search)
  latestSearch.current = search

  // biome-ignore lint/correctness/useExhaustiveDependencies: waits again after every key
  useEffect(() => {
    const timer = setTimeout(() => latestSearch.current(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return {
    text,
    setText,
    /** Enter, or leaving the field: the next search is another step. */
    finish() {
      search()
      typing.current = false
    },
    reset() {
      setText('')
      search('')
      typing.current = false
    },
  }
}
