import { type Pdf, withPdf } from './open-pdf.ts'

/** More than a page scanned with 300 dpi has. A list must not use up a phone's memory. */
const MAX_IMAGE_PIXELS = 16 * 1024 * 1024

/** Returns the first page of a PDF as a PNG that fits into `maxSide` pixels. @throws Error if it cannot be drawn */
export function drawFirstPage(file: Blob, maxSide: number, signal: AbortSignal): Promise<Blob | null> {
  const draw = async ({ drawPage }: Pdf): Promise<Blob | null> => {
    const canvas = await drawPage(1, maxSide, maxSide)
    return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
  }
  return withPdf(file, signal, draw, MAX_IMAGE_PIXELS)
}
