import { blobCrc32, uniqueNames, type ZipEntry, zip } from './zip.ts'

const PARALLEL = 3

type DownloadedFile = { id: string; filename: string; size: number; createdAt: string }

type DownloadOptions = {
  signal: AbortSignal
  /** Told after each file, how many have arrived. */
  onProgress(done: number): void
}

/** Saves one file. The server answers as an attachment, so the page stays. */
export function downloadFile({ id }: { id: string }): void {
  save(`/files/${id}?download`, '')
}

/** The file comes from the store and answers with a status that is not 200. */
export class FileUnavailableError extends Error {
  readonly code: string | undefined

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.name = 'FileUnavailableError'
    this.code = { 401: 'UNAUTHORIZED', 404: 'NOT_FOUND' }[status] ?? 'SERVICE_UNAVAILABLE'
  }
}

/**
 * Saves several files as one ZIP archive, made in the browser: bytes go from the store to the browser as always, and
 * one download needs no permission for many.
 * @throws FileUnavailableError, the fetch's TypeError, or the signal's reason
 */
export async function downloadArchive(
  files: DownloadedFile[],
  name: string,
  { signal, onProgress }: DownloadOptions,
): Promise<void> {
  const names = uniqueNames(files.map(({ filename }) => safeName(filename)))
  const entries: ZipEntry[] = []
  const left = files.entries()
  let done = 0
  const worker = async () => {
    for (const [i, file] of left) {
      const response = await fetch(`/files/${file.id}`, { signal })
      if (!response.ok) throw new FileUnavailableError(response.status)
      const bytes = await response.blob()
      entries[i] = {
        name: names[i]!,
        bytes,
        crc32: await blobCrc32(bytes, signal),
        modifiedAt: new Date(file.createdAt),
      }
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  const url = URL.createObjectURL(zip(entries))
  save(url, name)
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Without direction overrides, which disguise extensions, and no name of a folder. */
function safeName(filename: string): string {
  const name = filename.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
  return /^\.*$/.test(name) ? `_${name}` : name
}

function save(href: string, name: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
}
