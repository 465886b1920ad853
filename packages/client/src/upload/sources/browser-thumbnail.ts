/** Pixels of the longer side: four times the 40 of a list, for sharp screens. */
const MAX_SIDE = 160
/** The server rejects larger thumbnails. */
const MAX_BYTES = 32 * 1024
/** WebP qualities, tried in turn until the thumbnail is small enough. The first nearly always is. */
const QUALITIES = [0.8, 0.5, 0.2]
/** Decoded images take four bytes per pixel, so an image of 100 MB could exceed a phone's memory. */
const MAX_IMAGE_BYTES = 100 * 1024 * 1024

/** Thumbnails are created one at a time, to limit memory too. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Creates a WebP of at most 160 pixels, of an image or of the first frame of a video that the browser can play.
 * Returns null for PDFs, which browsers do not draw for pages, and in browsers that cannot encode WebP (Safari).
 */
export function browserThumbnail(file: Blob, mimeType: string, signal: AbortSignal): Promise<Blob | null> {
  const thumbnail = turn.then(() => (signal.aborted ? null : createThumbnail(file, mimeType, signal)))
  turn = thumbnail.catch(() => {})
  return thumbnail
}

async function createThumbnail(file: Blob, mimeType: string, signal: AbortSignal): Promise<Blob | null> {
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

/** Returns false if the browser cannot play the video. */
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
    // Browsers that cannot encode WebP return a PNG.
    if (blob?.type !== 'image/webp') return null
    if (blob.size <= MAX_BYTES) return blob
  }
  return null
}
