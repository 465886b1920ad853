import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { buttonClass } from '../../components/button-class.ts'
import { Loading } from '../../components/loading.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { ZoomBar } from '../dialogs/zoom-bar.tsx'
import type { FileItem } from '../use-file-queries.ts'
import { type Pdf, withPdf } from './open-pdf.ts'

/** Pages beyond these are only in the downloaded file. */
const MAX_PAGES = 50
/** Most pixels of a side of a page. */
const MAX_SIDE = 4096
/** More would only enlarge the pixels of a page that has `MAX_SIDE`. */
const MAX_ZOOM = 3

type PdfPagesProps = { file: FileItem; onError(): void }

/** Draws the pages of a PDF, each when it comes near the screen. Calls `onError` for files that it cannot draw. */
export function PdfPages({ file: { id, filename }, onError }: PdfPagesProps) {
  const { t, format } = useMessages()
  const { announce } = useAnnouncer()
  const box = useRef<HTMLElement>(null)
  /** 1: a page is as wide as the box. */
  const [level, setLevel] = useState(1)
  /** Fractions of the content to keep at the center and at the top of the box. */
  const anchor = useRef<{ center: number; top: number }>(undefined)
  const [pdf, setPdf] = useState<Pdf>()
  /** Number of the page that the user looks at. */
  const [current, setCurrent] = useState(1)
  /** Width and height of the first page, which most pages share. */
  const [ratio, setRatio] = useState('210 / 297')
  const fail = useRef(onError)
  fail.current = onError

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    showUntilClosed().catch(() => signal.aborted || fail.current())
    return () => controller.abort()

    async function showUntilClosed(): Promise<void> {
      // Bypass the cache: a response that a frame or an image cached lacks the CORS headers that scripts need.
      const response = await fetch(`/files/${id}`, { signal, cache: 'no-store' })
      if (!response.ok) throw new Error(`${response.status}`)
      await withPdf(await response.blob(), signal, (opened) => {
        setPdf(opened)
        return new Promise<never>(() => {})
      })
    }
  }, [id])

  function zoomTo(wanted: number) {
    const { scrollLeft, scrollTop, clientWidth, scrollWidth, scrollHeight } = box.current!
    anchor.current = { center: (scrollLeft + clientWidth / 2) / scrollWidth, top: scrollTop / scrollHeight }
    const next = Math.max(1, Math.min(MAX_ZOOM, wanted))
    setLevel(next)
    announce(t('files.zoomLevel', { zoom: format.percent(next) }))
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages have a new size after each zoom
  useLayoutEffect(() => {
    if (!anchor.current) return
    const { center, top } = anchor.current
    const { clientWidth, scrollWidth, scrollHeight } = box.current!
    box.current!.scrollTo(center * scrollWidth - clientWidth / 2, top * scrollHeight)
  }, [level])

  if (!pdf) return <Loading />
  const pages = Array.from({ length: Math.min(pdf.pageCount, MAX_PAGES) }, (_, i) => i + 1)
  return (
    <>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only what has the focus
        tabIndex={0}
        data-zoomed={level > 1 || undefined}
        aria-label={filename}
        onScroll={({ currentTarget }) => setCurrent(currentPage(currentTarget))}
        className="h-[calc(100%-3.25rem)] w-full self-start overflow-auto"
      >
        <div
          className="mx-auto flex flex-col gap-3"
          style={{ width: `${level * 100}%`, maxWidth: `${level * 60}rem` }}
        >
          {pages.map((page) => (
            <PdfPage
              key={page}
              pdf={pdf}
              page={page}
              level={level}
              ratio={ratio}
              {...(page === 1 && { onDrawn: setRatio, onError })}
            />
          ))}
        </div>
        {pdf.pageCount > pages.length && (
          <p className="flex flex-col items-center gap-3 py-6 text-center text-sm text-ink-soft">
            {t('files.morePages', { count: pdf.pageCount - pages.length })}
            <a href={`/files/${id}?download`} download className={buttonClass('secondary')}>
              {t('files.download')}
            </a>
          </p>
        )}
      </section>
      <ZoomBar box={box} level={level} max={MAX_ZOOM} zoomTo={zoomTo}>
        {/* Screen readers find the number at each page. */}
        <span aria-hidden="true" className="border-r border-line px-3 text-sm whitespace-nowrap tabular-nums">
          <span className="max-sm:hidden">{t('files.pdfPage', { page: current, total: pdf.pageCount })}</span>
          <span className="sm:hidden">
            {current}/{pdf.pageCount}
          </span>
        </span>
      </ZoomBar>
    </>
  )
}

/**
 * Returns the number of the page at the middle of the box that scrolls the pages. At its ends, low pages do not reach the
 * middle: returns the first or the last page.
 */
function currentPage(box: HTMLElement): number {
  const { scrollTop, scrollHeight, clientHeight } = box
  if (scrollTop <= 0) return 1
  const { top, height } = box.getBoundingClientRect()
  const pages = [...box.querySelectorAll('[role=img]')]
  // Browsers round the heights, but not the position.
  if (scrollTop + clientHeight >= scrollHeight - 1) return pages.length
  const below = pages.findIndex((page) => page.getBoundingClientRect().bottom >= top + height / 2)
  return below === -1 ? pages.length : below + 1
}

type PdfPageProps = {
  pdf: Pdf
  page: number
  /** Zoom at which to draw it. */
  level: number
  /** Width and height until the page is drawn. */
  ratio: string
  onDrawn?: (ratio: string) => void
  onError?: () => void
}

/** Draws a page near the screen. Drops it far from the screen, because phones limit the size of all canvases. */
function PdfPage({ pdf, page, level, ratio, ...props }: PdfPageProps) {
  const { t } = useMessages()
  const sheet = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState<string>()
  const latest = useRef(props)
  latest.current = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: a zoomed page needs more pixels
  useEffect(() => {
    const element = sheet.current!
    let isNear = false
    const observer = new IntersectionObserver(
      (entries) => {
        isNear = entries.at(-1)!.isIntersecting
        if (!isNear) return element.replaceChildren()
        const width = Math.min(element.clientWidth * Math.min(devicePixelRatio, 2), MAX_SIDE)
        pdf.drawPage(page, width, MAX_SIDE).then(
          (canvas) => {
            if (!isNear) return
            canvas.className = 'block h-auto w-full'
            element.replaceChildren(canvas)
            const own = `${canvas.width} / ${canvas.height}`
            setDrawn(own)
            latest.current.onDrawn?.(own)
          },
          // If only a later page is damaged, it stays blank.
          () => latest.current.onError?.(),
        )
      },
      { root: element.closest('section'), rootMargin: '100% 0px' },
    )
    observer.observe(element)
    return () => {
      isNear = false
      observer.disconnect()
    }
  }, [pdf, page, level])

  return (
    <div
      ref={sheet}
      role="img"
      aria-label={t('files.pdfPage', { page, total: pdf.pageCount })}
      style={{ aspectRatio: drawn ?? ratio }}
      className="border border-line bg-white"
    />
  )
}
