import type { Chunk, UploadSource } from '../upload/types.ts'

/** File as returned by pickers: expo-document-picker, expo-image-picker, react-native-document-picker. */
export type PickedFile = {
  /** `file://` or `content://`. */
  uri: string
  /** File name; default: the last segment of the URI. */
  name?: string | null
  mimeType?: string | null
  /** Milliseconds since 1970. */
  lastModified?: number
}

/** Opens a file by its URI. Its bytes stay on the native side, except for samples that identify the file later. */
export async function uriSource(file: PickedFile): Promise<UploadSource> {
  const blob = await (await fetch(file.uri)).blob()
  return {
    name: file.name ?? decodeURIComponent(file.uri.split(/[?#]/)[0]!.split('/').at(-1)!),
    type: file.mimeType ?? blob.type,
    size: blob.size,
    lastModified: file.lastModified ?? 0,
    attachment: file.uri,
    slice: (start, end) => chunkOf(blob.slice(start, end)),
  }
}

function chunkOf(blob: Blob): Chunk {
  return {
    size: blob.size,
    blob,
    stream: async function* () {
      if (blob.size > 0) yield await bytesOf(blob)
    },
  }
}

/** Reads bytes as a data URL: React Native's FileReader knows only text and data URLs. */
function bytesOf(blob: Blob): Promise<Uint8Array> {
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read'))
    reader.onload = () => {
      const url = String(reader.result)
      const binary = atob(url.slice(url.indexOf(',') + 1))
      resolve(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
    }
    reader.readAsDataURL(blob)
  })
}
