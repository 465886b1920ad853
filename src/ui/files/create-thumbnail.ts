import { browserThumbnail } from '@pigeonhole/client/browser'
import { isOpenable } from './pdf/is-openable.ts'

/** Pixels of the longer side of a drawn page: twice the thumbnail's, which sharpens its text. */
const PAGE_SIDE = 320

/** Limit for drawing a PDF, which can contain any amount of work. The next file waits for it. */
const DRAW_MS = 10_000

/** PDFs are drawn one at a time, to limit memory. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Creates the thumbnail of an image, a video or a PDF. Returns null for files without a thumbnail. The library that draws
 * PDFs is a separate script.
 */
export async function createThumbnail(
  file: Blob,
  mimeType: string,
  signal: AbortSignal,
): Promise<Blob | null> {
  if (mimeType !== 'application/pdf') return browserThumbnail(file, mimeType, signal)
  // Browsers draw nothing in hidden tabs. The list creates the thumbnail at the next visit.
  if (document.hidden || !(await isOpenable(file))) return null
  const drawn = turn.then(async () => {
    const { drawFirstPage } = await import('./pdf/draw-first-page.ts')
    const limit = AbortSignal.any([signal, AbortSignal.timeout(DRAW_MS)])
    return signal.aborted ? null : drawFirstPage(file, PAGE_SIDE, limit)
  })
  turn = drawn.catch(() => {})
  const page = await drawn
  return page && browserThumbnail(page, page.type, signal)
}
