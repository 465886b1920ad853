import { blobSource, type UploadSource } from '@pigeonhole/client/browser'

/** Hidden files, and files that operating systems create in folders. */
const IGNORED_NAMES = /^(\..*|thumbs\.db|desktop\.ini)$/i

export const ACCEPT = 'image/jpeg,image/png,image/gif,image/webp,application/pdf,video/mp4,video/quicktime'

/** Time for a browser to return a handle. Without it, the file is uploaded, but must be chosen again to resume. */
const HANDLE_MS = 5_000

type Picker = (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>
type HandleItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }
type DirectoryValues = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> }

/**
 * Opens the File System Access picker. Its handles let an upload resume after a reload without choosing the file again.
 * Returns undefined if the browser lacks the picker (use an input instead), and [] if the user cancels.
 */
export async function pickFiles(): Promise<UploadSource[] | undefined> {
  const picker = (window as { showOpenFilePicker?: Picker }).showOpenFilePicker
  if (!picker) return undefined
  try {
    const handles = await picker.call(window, { multiple: true })
    return await Promise.all(handles.map(readFileHandle))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return []
    return undefined
  }
}

/** Returns the files of an `<input type="file">`, including inputs that choose folders. */
export function filesOfInput(list: FileList | null): UploadSource[] {
  return [...(list ?? [])]
    .filter((file) => !(file.webkitRelativePath && IGNORED_NAMES.test(file.name)))
    .map((file) => blobSource(file))
}

/** Returns true if files are dragged, rather than text or a link. */
export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false
}

/** Dropped files, and the names of files and folders that cannot be read, because they have since been deleted or moved. */
export type DroppedFiles = { sources: UploadSource[]; unread: string[] }

/** Returns dropped files and the contents of dropped folders. Call it in the event handler, before the items vanish. */
export async function filesOfDrop(data: DataTransfer): Promise<DroppedFiles> {
  const read = [...data.items].filter(({ kind }) => kind === 'file').map(readItem)
  const found = (await Promise.all(read)).flat()
  return {
    sources: found.filter((one) => typeof one !== 'string'),
    unread: found.filter((one) => typeof one === 'string'),
  }
}

/** A file, or the name of one that cannot be read. */
type Found = UploadSource | string

/** Returns what `read` finds, or the name if it fails. */
async function unlessUnread(name: string, read: () => Promise<Found[]>): Promise<Found[]> {
  try {
    return await read()
  } catch {
    return [name]
  }
}

function readItem(item: HandleItem): Promise<Found[]> {
  const file = item.getAsFile()
  const entry = item.webkitGetAsEntry()
  const handle = item.getAsFileSystemHandle?.().catch(() => null)
  return (async () => {
    const late = new Promise<null>((resolve) => setTimeout(resolve, HANDLE_MS, null))
    const fileSystemHandle = await Promise.race([handle, late])
    if (fileSystemHandle) return readHandle(fileSystemHandle, false)
    if (entry?.isDirectory) return readEntry(entry)
    return file ? [blobSource(file)] : []
  })()
}

async function readFileHandle(handle: FileSystemFileHandle): Promise<UploadSource> {
  return blobSource(await handle.getFile(), handle)
}

function readHandle(handle: FileSystemHandle, inFolder: boolean): Promise<Found[]> {
  return unlessUnread(handle.name, async () => {
    if (handle.kind === 'file')
      return inFolder && IGNORED_NAMES.test(handle.name)
        ? []
        : [await readFileHandle(handle as FileSystemFileHandle)]
    const found: Found[] = []
    for await (const child of (handle as DirectoryValues).values())
      found.push(...(await readHandle(child, true)))
    return found
  })
}

/** Reads files and folders in browsers without file system handles: Firefox and Safari. */
function readEntry(entry: FileSystemEntry): Promise<Found[]> {
  return unlessUnread(entry.name, async () => {
    if (entry.isFile) {
      if (IGNORED_NAMES.test(entry.name)) return []
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      )
      return [blobSource(file)]
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    const found: Found[] = []
    for (;;) {
      // Chromium returns at most 100 entries per call; an empty array means the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      )
      if (entries.length === 0) return found
      for (const child of entries) found.push(...(await readEntry(child)))
    }
  })
}
