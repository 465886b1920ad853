import { fileOfPage, type UploadSource } from '@pigeonhole/client/browser'

/** Left behind in folders by systems, never meant by people. */
const CLUTTER = /^(\..*|thumbs\.db|desktop\.ini)$/i

export const ACCEPT = 'image/jpeg,image/png,image/gif,image/webp,application/pdf,video/mp4,video/quicktime'

type Picker = (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>
type HandleItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }
type DirectoryValues = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> }

/**
 * The browser's picker that gives out handles, which let an upload go on after a reload without asking again.
 * Undefined: this browser has none, use an input. Empty: nothing was chosen.
 */
export async function pickFiles(): Promise<UploadSource[] | undefined> {
  const picker = (window as { showOpenFilePicker?: Picker }).showOpenFilePicker
  if (!picker) return undefined
  try {
    const handles = await picker.call(window, { multiple: true })
    return await Promise.all(handles.map(ofHandle))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return []
    return undefined
  }
}

/** From an `<input type="file">`, with or without folders. */
export function filesOfInput(list: FileList | null): UploadSource[] {
  return [...(list ?? [])]
    .filter((file) => !(file.webkitRelativePath && CLUTTER.test(file.name)))
    .map((file) => fileOfPage(file))
}

/** Whether a drag carries files at all (and not text or a link). */
export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false
}

/** Files and whole folders of a drop. Must be called within the event: afterwards the items are gone. */
export async function filesOfDrop(data: DataTransfer): Promise<UploadSource[]> {
  const taken = [...data.items].filter(({ kind }) => kind === 'file').map(takeItem)
  return (await Promise.all(taken)).flat()
}

function takeItem(item: HandleItem): Promise<UploadSource[]> {
  const file = item.getAsFile()
  const entry = item.webkitGetAsEntry()
  const handle = item.getAsFileSystemHandle?.().catch(() => null)
  return (async () => {
    const found = await handle
    if (found) return inHandle(found, false)
    if (entry?.isDirectory) return inEntry(entry)
    return file ? [fileOfPage(file)] : []
  })()
}

async function ofHandle(handle: FileSystemFileHandle): Promise<UploadSource> {
  return fileOfPage(await handle.getFile(), handle)
}

async function inHandle(handle: FileSystemHandle, inFolder: boolean): Promise<UploadSource[]> {
  if (handle.kind === 'file')
    return inFolder && CLUTTER.test(handle.name) ? [] : [await ofHandle(handle as FileSystemFileHandle)]
  const sources: UploadSource[] = []
  for await (const child of (handle as DirectoryValues).values())
    sources.push(...(await inHandle(child, true)))
  return sources
}

/** Folders where the browser has no handles (Firefox, Safari). */
async function inEntry(entry: FileSystemEntry): Promise<UploadSource[]> {
  if (entry.isFile) {
    if (CLUTTER.test(entry.name)) return []
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [fileOfPage(file)]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const sources: UploadSource[] = []
  for (;;) {
    // Gives a hundred at a time, and none when it is through.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return sources
    for (const child of some) sources.push(...(await inEntry(child)))
  }
}
