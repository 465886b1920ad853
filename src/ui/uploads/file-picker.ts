import { blobSource, type UploadSource } from '@pigeonhole/client/browser'

/** Hidden files, and files that operating systems create in folders. */
const IGNORED_NAMES = /^(\..*|thumbs\.db|desktop\.ini)$/i

export const ACCEPT = 'image/jpeg,image/png,image/gif,image/webp,application/pdf,video/mp4,video/quicktime'

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

/** Returns dropped files and the contents of dropped folders. Call it in the event handler, before the items vanish. */
export async function filesOfDrop(data: DataTransfer): Promise<UploadSource[]> {
  const read = [...data.items].filter(({ kind }) => kind === 'file').map(readItem)
  return (await Promise.all(read)).flat()
}

function readItem(item: HandleItem): Promise<UploadSource[]> {
  const file = item.getAsFile()
  const entry = item.webkitGetAsEntry()
  const handle = item.getAsFileSystemHandle?.().catch(() => null)
  return (async () => {
    const fileSystemHandle = await handle
    if (fileSystemHandle) return readHandle(fileSystemHandle, false)
    if (entry?.isDirectory) return readEntry(entry)
    return file ? [blobSource(file)] : []
  })()
}

async function readFileHandle(handle: FileSystemFileHandle): Promise<UploadSource> {
  return blobSource(await handle.getFile(), handle)
}

async function readHandle(handle: FileSystemHandle, inFolder: boolean): Promise<UploadSource[]> {
  if (handle.kind === 'file')
    return inFolder && IGNORED_NAMES.test(handle.name)
      ? []
      : [await readFileHandle(handle as FileSystemFileHandle)]
  const sources: UploadSource[] = []
  for await (const child of (handle as DirectoryValues).values())
    sources.push(...(await readHandle(child, true)))
  return sources
}

/** Reads files and folders in browsers without file system handles: Firefox and Safari. */
async function readEntry(entry: FileSystemEntry): Promise<UploadSource[]> {
  if (entry.isFile) {
    if (IGNORED_NAMES.test(entry.name)) return []
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [blobSource(file)]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const sources: UploadSource[] = []
  for (;;) {
    // Chromium returns at most 100 entries per call; an empty array means the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (entries.length === 0) return sources
    for (const child of entries) sources.push(...(await readEntry(child)))
  }
}
