'use client'

import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FileRowsProps, VirtualRowsProps } from './file-rows-props.ts'
import { PlainRows } from './plain-rows.tsx'

/** So many rows are drawn as they are. */
const PLAIN_ROWS = 50
/** The rest is prepared when the end of these rows comes so near to the screen. */
const NEAR = '1500px'
/** How often it is looked whether a button or key has been let go. */
const RELEASED_POLL_MS = 50

/** What the first rows leave to the virtual ones. */
type Virtual = Pick<VirtualRowsProps, 'rowPixels' | 'focusedId'> & { Rows: ComponentType<VirtualRowsProps> }

/**
 * The rows of the list, however many there are. Long lists need 10 KB more of script, which is loaded when somebody
 * scrolls or has the focus in the list: until then there are the first rows, which work at once.
 */
export function FileRows(props: FileRowsProps) {
  const { files, hasMore } = props
  const isLong = files.length > PLAIN_ROWS || hasMore
  const [isWanted, setWanted] = useState(false)
  const [virtual, setVirtual] = useState<Virtual>()
  const rows = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const latest = useRef(files)
  latest.current = files
  /** The control that has the focus while its row is drawn anew. */
  const focused = useRef<string>(undefined)

  useEffect(() => {
    if (!isLong || isWanted || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setWanted(true), {
      rootMargin: NEAR,
    })
    observer.observe(end.current)
    const list = rows.current
    const want = () => setWanted(true)
    list?.addEventListener('focusin', want)
    return () => {
      observer.disconnect()
      list?.removeEventListener('focusin', want)
    }
  }, [isLong, isWanted])
  useEffect(() => {
    if (!isLong || !isWanted) return
    // Without a network the first rows stay.
    import('./virtual-rows.tsx').then(
      async ({ VirtualRows }) => {
        await released(rows.current)
        const control = controlOf(rows.current, document.activeElement)
        focused.current = control && `[data-index="${control.index}"] [data-control="${control.name}"]`
        const row = rows.current?.querySelector<HTMLElement>('[data-index]')
        const focusedId = control && latest.current[control.index]?.id
        setVirtual({ Rows: VirtualRows, rowPixels: row?.offsetHeight, focusedId })
      },
      () => {},
    )
  }, [isLong, isWanted])
  useLayoutEffect(() => {
    if (virtual && focused.current)
      rows.current?.querySelector<HTMLElement>(focused.current)?.focus({ preventScroll: true })
    focused.current = undefined
  }, [virtual])

  const { Rows, ...start } = virtual ?? {}
  return (
    <div ref={rows}>
      {isLong && Rows ? (
        <Rows {...props} {...start} />
      ) : (
        <>
          <PlainRows {...props} files={files.slice(0, PLAIN_ROWS)} />
          <div ref={end} />
        </>
      )}
    </div>
  )
}

/** Waits until nothing inside is being pressed: a click goes to the element that saw the press, if it is still there. */
async function released(rows: Element | null): Promise<void> {
  while (rows?.querySelector(':active')) await new Promise((resolve) => setTimeout(resolve, RELEASED_POLL_MS))
}

/** The control of a row that has the focus. */
function controlOf(rows: Element | null, focused: Element | null) {
  const index = focused?.closest('[data-index]')?.getAttribute('data-index')
  const name = focused?.getAttribute('data-control')
  if (!rows?.contains(focused) || !index || !name) return undefined
  return { index: Number(index), name }
}
