import { useState } from 'react'
import { rememberChoice } from '../../components/remember-choice.ts'
import { type FileLayout, LAYOUT_COOKIE } from './file-layout.ts'

/** Returns the layout and a function that changes and remembers it. */
export function useFileLayout(initial: FileLayout): [FileLayout, (layout: FileLayout) => void] {
  const [layout, setLayout] = useState(initial)
  return [
    layout,
    (next) => {
      rememberChoice(LAYOUT_COOKIE, next)
      setLayout(next)
    },
  ]
}
