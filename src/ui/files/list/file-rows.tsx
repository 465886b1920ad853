'use client'

import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FileRowsProps } from './file-rows-props.ts'
import { PlainRows } from './plain-rows.tsx'

/** So many rows are drawn as they are. */
const PLAIN_ROWS = 50

/**
 * The rows of the list, however many there are. Long lists need 10 KB more of script: until it is loaded there are the
 * first rows, which work at once.
 */
export function FileRows(props: FileRowsProps) {
  const { files, hasMore } = props
  const isLong = files.length > PLAIN_ROWS || hasMore
  const [VirtualRows, setVirtualRows] = useState<ComponentType<FileRowsProps>>()
  const rows = useRef<HTMLDivElement>(null)
  /** The control that has the focus while its row is drawn anew. */
  const focused = useRef<string>(undefined)

  useEffect(() => {
    if (!isLong) return
    // Without a network the first rows stay.
    import('./virtual-rows.tsx').then(
      (script) => {
        focused.current = controlOf(rows.current, document.activeElement)
        setVirtualRows(() => script.VirtualRows)
      },
      () => {},
    )
  }, [isLong])
  useLayoutEffect(() => {
    if (VirtualRows && focused.current)
      rows.current?.querySelector<HTMLElement>(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [VirtualRows])

  return (
    <div ref={rows}>
      {isLong && VirtualRows ? (
        <VirtualRows {...props} />
      ) : (
        <PlainRows {...props} files={files.slice(0, PLAIN_ROWS)} />
      )}
    </div>
  )
}

/** A selector of the control of a row that has the focus. */
function controlOf(rows: Element | null, focused: Element | null): string | undefined {
  const index = focused?.closest('[data-index]')?.getAttribute('data-index')
  const control = focused?.getAttribute('data-control')
  if (!rows?.contains(focused) || !index || !control) return undefined
  return `[data-index="${index}"] [data-control="${control}"]`
}
