import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type FileRowsProps, PlainRows } from './plain-rows.tsx'
import type { VirtualRowsProps } from './virtual-rows.tsx'
import { whenNear } from './when-near.ts'

/** Maximum rows without virtualization. */
const PLAIN_ROWS = 50
/** Interval between checks that no row is in use. */
const IDLE_POLL_MS = 50

/** State that the virtual rows take over from the plain ones. */
type Virtual = Pick<VirtualRowsProps, 'rowPixels' | 'focusedId'> & { Rows: ComponentType<VirtualRowsProps> }

/**
 * The rows of the list. Long lists need another 10 KB of script, loaded when the user scrolls or focuses the list. Until
 * then, the first rows are plain and work at once.
 */
export function FileRows(props: FileRowsProps) {
  const { files, hasMore } = props
  const isLong = files.length > PLAIN_ROWS || hasMore
  const [isNeeded, setNeeded] = useState(false)
  const [virtual, setVirtual] = useState<Virtual>()
  const rows = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const latest = useRef(files)
  latest.current = files
  /** Selector of the focused control while its row is drawn again. */
  const focused = useRef<string>(undefined)

  useEffect(() => {
    if (!isLong || isNeeded || !end.current) return
    const need = () => setNeeded(true)
    const stop = whenNear(end.current, need)
    const list = rows.current
    list?.addEventListener('focusin', need)
    return () => {
      stop()
      list?.removeEventListener('focusin', need)
    }
  }, [isLong, isNeeded])
  useEffect(() => {
    if (!isLong || !isNeeded) return
    // If this fails, the plain rows stay.
    import('./virtual-rows.tsx').then(
      async ({ VirtualRows }) => {
        await untilIdle(rows.current)
        const control = findControl(rows.current, document.activeElement)
        focused.current = control && `[data-index="${control.index}"] [data-control="${control.name}"]`
        const row = rows.current?.querySelector<HTMLElement>('[data-index]')
        const focusedId = control && latest.current[control.index]?.id
        setVirtual({ Rows: VirtualRows, rowPixels: row?.offsetHeight, focusedId })
      },
      () => {},
    )
  }, [isLong, isNeeded])
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

/**
 * Waits until no element inside is pressed and no menu is open. A click needs the pressed element, and a menu closes with
 * its button.
 */
async function untilIdle(rows: Element | null): Promise<void> {
  while (rows?.querySelector(':active, :popover-open'))
    await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS))
}

/** Returns the row and the name of the focused control. */
function findControl(rows: Element | null, focused: Element | null) {
  const index = focused?.closest('[data-index]')?.getAttribute('data-index')
  const name = focused?.getAttribute('data-control')
  if (!rows?.contains(focused) || !index || !name) return undefined
  return { index: Number(index), name }
}
