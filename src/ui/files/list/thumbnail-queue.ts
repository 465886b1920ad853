import type { Client } from '@pigeonhole/client'
import type { FileItem } from '../use-file-queries.ts'
import { storeMissingThumbnail } from './store-missing-thumbnail.ts'

/** A file whose row can come into view. */
type Seen = { file: FileItem; client: Client; onStored(id: string): void }

/** Files that this page has tried. A file that cannot be shown is not downloaded again. */
const tried = new Set<string>()
const waiting = new Map<Element, Seen>()
const seen: Seen[] = []
let isWorking = false
const never = new AbortController().signal

const observer =
  typeof IntersectionObserver === 'undefined'
    ? undefined
    : new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) {
          const one = waiting.get(target)
          if (!isIntersecting || !one) continue
          forget(target)
          seen.push(one)
        }
        void work()
      })

/** Creates the thumbnail once the element is on the screen. Returns a function that stops waiting for it. */
export function createThumbnailWhenSeen(element: Element, file: Seen): () => void {
  if (tried.has(file.file.id) || savesData()) return () => {}
  waiting.set(element, file)
  observer?.observe(element)
  return () => forget(element)
}

function forget(element: Element): void {
  waiting.delete(element)
  observer?.unobserve(element)
}

/** One file at a time, so that scrolling through a list of photos does not use up the network. */
async function work(): Promise<void> {
  if (isWorking) return
  isWorking = true
  for (let next = seen.shift(); next; next = seen.shift()) {
    const { file, client, onStored } = next
    if (tried.has(file.id)) continue
    tried.add(file.id)
    // As in an upload, a file without a thumbnail has an icon.
    const isStored = await storeMissingThumbnail(client, file, never).catch(() => false)
    if (isStored) onStored(file.id)
  }
  isWorking = false
}

/** Returns true if the user has asked the browser to load less. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
}
