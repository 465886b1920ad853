import { ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Factor of one press of a button or key. */
const STEP = 1.5
/** Pixels of one press of an arrow key. */
const SCROLL = 80

const ARROWS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-SCROLL, 0],
  ArrowRight: [SCROLL, 0],
  ArrowUp: [0, -SCROLL],
  ArrowDown: [0, SCROLL],
}

type ZoomBarProps = {
  /** The box that scrolls the content. It leaves 3.25rem below it for this bar. */
  box: RefObject<HTMLElement | null>
  /** Multiple of the size that fits. */
  level: number
  max: number
  /** Shown before the buttons, such as the number of pages. */
  children?: ReactNode
  /** Called with levels below 1 and above `max`, too. */
  zoomTo(level: number): void
}

/** Buttons that zoom a preview. The keys +, - and 0 and the arrow keys work wherever the focus is in the dialog. */
export function ZoomBar({ box, level, max, children, zoomTo }: ZoomBarProps) {
  const { t, format } = useMessages()

  useEffect(() => {
    const scroller = box.current!
    function onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const arrow = ARROWS[event.key]
      if (event.key === '+' || event.key === '=') zoomTo(level * STEP)
      else if (event.key === '-') zoomTo(level / STEP)
      else if (event.key === '0') zoomTo(1)
      else if (arrow && canScroll(scroller, arrow)) scroller.scrollBy(...arrow)
      else return
      event.preventDefault()
    }
    const dialog = scroller.closest<HTMLElement>('[role=dialog]')
    dialog?.addEventListener('keydown', onKeyDown)
    return () => dialog?.removeEventListener('keydown', onKeyDown)
  })

  // `aria-disabled`, because a disabled button would lose the focus.
  return (
    <fieldset
      aria-label={t('files.zoom')}
      className="absolute bottom-2 left-1/2 flex -translate-x-1/2 items-center rounded-lg border border-line bg-surface shadow-card"
    >
      {children}
      <IconButton label={t('files.zoomOut')} aria-disabled={level === 1} onClick={() => zoomTo(level / STEP)}>
        <ZoomOut aria-hidden="true" className="size-4" />
      </IconButton>
      <IconButton
        label={t('files.zoomFit', { zoom: format.percent(level) })}
        aria-disabled={level === 1}
        onClick={() => zoomTo(1)}
        className="min-w-14 text-sm tabular-nums aria-disabled:opacity-100!"
      >
        {format.percent(level)}
      </IconButton>
      <IconButton
        label={t('files.zoomIn')}
        aria-disabled={level === max}
        onClick={() => zoomTo(level * STEP)}
      >
        <ZoomIn aria-hidden="true" className="size-4" />
      </IconButton>
    </fieldset>
  )
}

/** Returns true if the content is larger than the box in the direction of the arrow. */
function canScroll(box: Element, [x]: [x: number, y: number]): boolean {
  return x === 0 ? box.scrollHeight > box.clientHeight : box.scrollWidth > box.clientWidth
}
