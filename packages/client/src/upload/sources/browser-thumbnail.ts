import type { MimeType } from '../../limits.ts'

/** Pixels on the longer side: four times a list's 40, for sharp screens. */
const MAX_SIDE = 160
/** The server takes no larger ones. */
const MAX_BYTES = 32 * 1024
/** Tried in turn until the picture is small enough; the first is nearly always. */
const QUALITIES = [0.8, 0.5, 0.2]
/** Decoded, a picture takes four bytes a pixel: one of 100 MB may be too much for a phone. */
const MAX_IMAGE_BYTES = 100 * 1024 * 1024

/** One at a time, for the same reason. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * A WebP of at most 160 pixels: of images, and of the first frame of videos that the browser can play. Null for PDFs,
 * which no browser lets a page draw, and in browsers that encode no WebP (Safari).
 */
export function browserThumbnail(file: Blob, mimeType: MimeType, signal: AbortSignal): Promise<Blob | null> {
  const made = turn.then(() => (signal.aborted ? null : make(file, mimeType, signal)))
  turn = made.catch(() => {})
  return made
}

async function make(file: Blob, mimeType: MimeType, signal: AbortSignal): Promise<Blob | null> {
  // A slice has no type.
  const typed = file.slice(0, file.size, mimeType)
  if (mimeType.startsWith('video/')) return withFirstFrame(typed, signal, encode)
  if (!mimeType.startsWith('image/') || file.size > MAX_IMAGE_BYTES) return null
  const picture = await createImageBitmap(typed)
  try {
    return await encode(picture)
  } finally {
    picture.close()
  }
}

async function withFirstFrame<T>(
  file: Blob,
  signal: AbortSignal,
  use: (frame: ImageBitmap) => Promise<T>,
): Promise<T | null> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  try {
    Object.assign(video, { muted: true, playsInline: true, preload: 'auto', src: url })
    if (!(await hasFrame(video, signal))) return null
    const frame = await createImageBitmap(video)
    try {
      return await use(frame)
    } finally {
      frame.close()
    }
  } finally {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

/** False for what the browser cannot play. */
function hasFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    video.addEventListener('loadeddata', () => resolve(video.videoWidth > 0))
    video.addEventListener('error', () => resolve(false))
    signal.addEventListener('abort', () => resolve(false))
  })
}

async function encode(picture: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, MAX_SIDE / Math.max(picture.width, picture.height))
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', quality))
    // Browsers that cannot encode it make a PNG.
    if (blob?.type !== 'image/webp') return null
    if (blob.size <= MAX_BYTES) return blob
  }
  return null
}
