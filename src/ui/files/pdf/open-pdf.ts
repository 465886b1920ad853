import { getDocument, PDFWorker, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { isOpenable } from './is-openable.ts'

/** The library's parser. The builds without "legacy" need browsers of this year. */
const WORKER_URL = new URL('pdfjs-dist/legacy/build/pdf.worker.min.mjs', import.meta.url).href
const MAX_IMAGE_PIXELS = 64 * 1024 * 1024

/** Time for the worker to end its work on a file before it is stopped. */
const CLOSE_MS = 1_000

export type Pdf = {
  pageCount: number
  /** Draws a page as large as fits into these pixels. Pages are numbered from 1. */
  drawPage(page: number, maxWidth: number, maxHeight: number): Promise<HTMLCanvasElement>
}

/**
 * Opens a PDF for `use`, and closes it afterwards. The file is parsed in a worker, which can load nothing: its policy is
 * `default-src 'none'`. Pictures in it of more than `maxImagePixels` are left out: decoded, they take four bytes per pixel.
 * @throws Error if the file is too large, damaged or encrypted, or the signal aborts
 */
export async function withPdf<T>(
  file: Blob,
  signal: AbortSignal,
  use: (pdf: Pdf) => Promise<T>,
  maxImagePixels = MAX_IMAGE_PIXELS,
): Promise<T> {
  if (!(await isOpenable(file))) throw new Error('The PDF cannot be opened')
  const data = await file.arrayBuffer()
  signal.throwIfAborted()
  const port = new Worker(WORKER_URL, { type: 'module' })
  const worker = PDFWorker.create({ port })
  const task = getDocument({
    data,
    worker,
    maxImageSize: maxImagePixels,
    disableWorkerRendering: true,
    verbosity: VerbosityLevel.ERRORS,
  })
  const ended = new AbortController()
  const failed = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal })
    port.addEventListener('error', () => reject(new Error('The worker failed')))
  })
  try {
    const opened = await Promise.race([task.promise, failed])
    const drawPage: Pdf['drawPage'] = async (number, maxWidth, maxHeight) => {
      const page = await opened.getPage(number)
      const full = page.getViewport({ scale: 1 })
      const viewport = page.getViewport({ scale: Math.min(maxWidth / full.width, maxHeight / full.height) })
      const canvas = document.createElement('canvas')
      canvas.width = Math.max(1, Math.round(viewport.width))
      canvas.height = Math.max(1, Math.round(viewport.height))
      await page.render({ canvas, viewport }).promise
      page.cleanup()
      return canvas
    }
    return await Promise.race([use({ pageCount: opened.numPages, drawPage }), failed])
  } finally {
    ended.abort()
    // Removes the file's fonts from the page once the worker has answered. One that hangs gives no answer.
    await Promise.race([task.destroy().catch(() => {}), new Promise((done) => setTimeout(done, CLOSE_MS))])
    worker.destroy()
    port.terminate()
  }
}
