import { type MouseEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { StoreImage } from '../store-image.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { ZoomBar } from './zoom-bar.tsx'

/** Factor of a double click. */
const DOUBLE_CLICK = 2.5
const MAX_ZOOM = 8
/** Most pixels of a wheel event that count: one notch of a mouse wheel has more than 100, pinching only a few. */
const MAX_WHEEL = 30

type Point = { x: number; y: number }

/** Zoom, as a multiple of the size that fits. Larger than 1, the image has a size in pixels. */
type Zoom = { level: number; width?: number; height?: number }

const FIT: Zoom = { level: 1 }

/** An image that fits into the dialog, and scrolls when it is zoomed in. Give it a key, so that each file starts as it fits. */
export function ImagePreview({ file: { id, filename }, onError }: { file: FileItem; onError(): void }) {
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const box = useRef<HTMLElement>(null)
  const [{ level, ...size }, setZoom] = useState<Zoom>(FIT)
  /** Point of the screen, and the fractions of the image's sides to keep there. */
  const anchor = useRef<Point & { left: number; top: number }>(undefined)
  const pinch = useRef<{ distance: number; level: number }>(undefined)
  /** Last position of the mouse that drags the image. */
  const dragged = useRef<Point>(undefined)
  const isZoomed = level > 1

  /** Keeps the `point` of the screen in place. Default: the center. */
  function zoomTo(wanted: number, point?: Point): number {
    const scroller = box.current!
    const image = scroller.querySelector('img')!
    const { naturalWidth, naturalHeight } = image
    if (naturalWidth === 0) return level
    // Zooming out by pinching rarely ends at exactly 100%, and zooming in begins with tiny steps.
    const next = wanted < Math.min(level, 1.01) ? 1 : Math.min(MAX_ZOOM, wanted)
    const frame = scroller.getBoundingClientRect()
    const { left, top, width, height } = image.getBoundingClientRect()
    const { x, y } = point ?? { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 }
    anchor.current = { x, y, left: (x - left) / width, top: (y - top) / height }
    const scale = next * Math.min(1, frame.width / naturalWidth, frame.height / naturalHeight)
    setZoom(next === 1 ? FIT : { level: next, width: naturalWidth * scale, height: naturalHeight * scale })
    return next
  }

  /** For buttons, keys and double clicks. Pinching changes the zoom too often to announce it. */
  function step(wanted: number, point?: Point) {
    announce(t('files.zoomLevel', { zoom: format.percent(zoomTo(wanted, point)) }))
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the image has a new size after each zoom
  useLayoutEffect(() => {
    const at = anchor.current
    if (!at) return
    const scroller = box.current!
    const { left, top, width, height } = scroller.querySelector('img')!.getBoundingClientRect()
    scroller.scrollBy(left + at.left * width - at.x, top + at.top * height - at.y)
  }, [level])

  // The zoomed size belongs to the size of the box, which changes with the window and when a phone is turned.
  useEffect(() => {
    const observer = new ResizeObserver(() => setZoom(FIT))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])

  // React's listeners for wheel and touches are passive.
  useEffect(() => {
    const scroller = box.current!
    const listeners = new AbortController()
    const { signal } = listeners
    function onWheel(event: WheelEvent) {
      // Chromium and Firefox report pinching on a laptop like this.
      if (!event.ctrlKey) return
      event.preventDefault()
      const delta = Math.max(-MAX_WHEEL, Math.min(MAX_WHEEL, event.deltaY))
      zoomTo(level * Math.exp(-delta / 100), { x: event.clientX, y: event.clientY })
    }
    function onTouch(event: TouchEvent) {
      const [one, two] = event.touches
      if (!one || !two) {
        pinch.current = undefined
        return
      }
      event.preventDefault()
      const distance = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY)
      pinch.current ??= { distance, level }
      const middle = { x: (one.clientX + two.clientX) / 2, y: (one.clientY + two.clientY) / 2 }
      zoomTo((pinch.current.level * distance) / pinch.current.distance, middle)
    }
    // Also over the buttons, where the browser would zoom the page.
    scroller.parentElement!.addEventListener('wheel', onWheel, { signal, passive: false })
    for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const)
      scroller.addEventListener(type, onTouch, { signal, passive: false })
    return () => listeners.abort()
  })

  function onDoubleClick({ clientX, clientY }: MouseEvent) {
    step(isZoomed ? 1 : DOUBLE_CLICK, { x: clientX, y: clientY })
  }

  /** Touches scroll natively, and scrollbars must not move the image. */
  function onPointerDown({
    button,
    pointerType,
    pointerId,
    target,
    currentTarget,
    clientX,
    clientY,
  }: PointerEvent) {
    if (!isZoomed || pointerType !== 'mouse' || button !== 0 || !(target instanceof HTMLImageElement)) return
    dragged.current = { x: clientX, y: clientY }
    currentTarget.setPointerCapture(pointerId)
  }

  /** `movementX` is not in CSS pixels in every browser. */
  function onPointerMove({ pointerId, currentTarget, clientX: x, clientY: y }: PointerEvent) {
    const from = dragged.current
    if (!from || !currentTarget.hasPointerCapture(pointerId)) return
    currentTarget.scrollBy(from.x - x, from.y - y)
    dragged.current = { x, y }
  }

  return (
    <>
      <section
        ref={box}
        // It keeps the focus when the image fits again.
        tabIndex={isZoomed ? 0 : -1}
        data-zoomed={isZoomed || undefined}
        aria-label={isZoomed ? t('files.zoomed') : undefined}
        onDoubleClick={onDoubleClick}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        className={`flex h-[calc(100%-3.25rem)] w-full touch-pan-x touch-pan-y self-start ${isZoomed ? 'cursor-grab overflow-auto active:cursor-grabbing' : 'overflow-hidden'}`}
      >
        <StoreImage
          url={`/files/${id}`}
          filename={filename}
          draggable={false}
          onError={onError}
          style={size}
          className={isZoomed ? 'm-auto max-w-none! shrink-0' : 'm-auto max-h-full'}
        />
      </section>
      <ZoomBar box={box} level={level} max={MAX_ZOOM} zoomTo={step} />
    </>
  )
}
