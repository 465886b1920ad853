import { downloadZip } from 'client-zip'

/** Parallel downloads. A downloaded file waits as a blob, which browsers keep on disk, for the files before it. */
const PARALLEL = 3

type DownloadedFile = { id: string; filename: string; size: number; createdAt: string }

type DownloadOptions = {
  signal: AbortSignal
  /** Receives the number of files in the archive after each file. */
  onProgress(done: number): void
}

/** Saves one file. The server sends it as an attachment, so the page stays open. */
export function downloadFile({ id }: { id: string }): void {
  save(`/files/${id}?download`, '')
}

/** Thrown if a file's download responds with an error status. */
class FileUnavailableError extends Error {
  readonly code: string | undefined

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.name = 'FileUnavailableError'
    this.code = { 401: 'UNAUTHORIZED', 404: 'NOT_FOUND' }[status] ?? 'SERVICE_UNAVAILABLE'
  }
}

/**
 * Saves several files as one ZIP archive. The browser creates it, so the bytes come directly from the store. A single
 * download needs no permission for multiple downloads.
 * @throws FileUnavailableError, fetch's TypeError, or the signal's reason
 */
export async function downloadArchive(
  files: DownloadedFile[],
  name: string,
  options: DownloadOptions,
): Promise<void> {
  const url = URL.createObjectURL(await archiveOf(files, options))
  save(url, name)
  // By then, the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function archiveOf(files: DownloadedFile[], { signal, onProgress }: DownloadOptions): Promise<Blob> {
  const names = uniqueNames(files.map(({ filename }) => safeName(filename)))
  const failed = Promise.withResolvers<never>()
  async function* entries() {
    const ahead: Promise<Blob>[] = []
    for (const [i, { createdAt }] of files.entries()) {
      for (const file of files.slice(i + ahead.length, i + PARALLEL)) {
        const bytes = fetchFile(file, signal)
        bytes.catch(failed.reject)
        ahead.push(bytes)
      }
      // Reading a large file takes seconds, so the signal must end the stream.
      const input = (await ahead.shift()!).stream().pipeThrough(new TransformStream(), { signal })
      yield { name: names[i]!, lastModified: new Date(createdAt), input }
      onProgress(i + 1)
    }
  }
  // In Chromium, the archive's own error is always "Failed to fetch".
  return Promise.race([downloadZip(entries()).blob(), failed.promise])
}

async function fetchFile({ id }: DownloadedFile, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(`/files/${id}`, { signal })
  if (!response.ok) throw new FileUnavailableError(response.status)
  return response.blob()
}

/** Appends numbers to repeated names, because unpacking an archive would lose all but one of them. */
export function uniqueNames(names: string[]): string[] {
  // The file systems of Windows and macOS ignore case.
  const taken = new Set<string>()
  return names.map((name) => {
    const [, stem, extension] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? ['', name, '']
    let unique = name
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${stem} (${n})${extension ?? ''}`
    taken.add(unique.toLowerCase())
    return unique
  })
}

/** Removes direction overrides, which disguise extensions, and changes names that mean a folder. */
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
