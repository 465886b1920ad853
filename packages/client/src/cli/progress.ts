import type { WriteStream } from 'node:tty'
import { formatBytes, formatSeconds } from '../format.ts'
import type { Uploader, UploaderSnapshot, UploadSnapshot } from '../upload/types.ts'

/** Width of the bar in characters. */
const BAR = 24

/**
 * Shows a bar on a terminal. Elsewhere, prints a line when a file starts, at each tenth of it, and when it ends.
 * Returns a function that stops the display.
 */
export function showProgress(uploader: Uploader, out: WriteStream): () => void {
  return out.isTTY ? bar(uploader, out) : lines(uploader, out)
}

function bar(uploader: Uploader, out: WriteStream): () => void {
  const draw = (): void => {
    const line = barLine(uploader.getSnapshot())
    out.write(`\r\x1b[2K${line.slice(0, Math.max(20, (out.columns || 80) - 1))}`)
  }
  draw()
  const unsubscribe = uploader.subscribe(draw)
  return () => {
    unsubscribe()
    draw()
    out.write('\n')
  }
}

export function barLine(all: UploaderSnapshot): string {
  const share = all.size > 0 ? all.bytesSent / all.size : 0
  const full = Math.floor(share * BAR)
  const { counts, uploads } = all
  const active = uploads.map((one) => one.getSnapshot()).filter((one) => one.state === 'uploading')
  const what =
    (all.signedOut && 'signing in again') ||
    (counts.verifying > 0 && active.length === 0 && 'verifying') ||
    (active.length === 1 && active[0]!.name) ||
    ''
  return [
    `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`,
    `${formatBytes(all.bytesSent)} of ${formatBytes(all.size)}`,
    all.speedBytesPerSecond > 0 && `${formatBytes(Math.round(all.speedBytesPerSecond))}/s`,
    all.secondsLeft !== null && all.secondsLeft > 0 && `${formatSeconds(all.secondsLeft)} left`,
    uploads.length > 1 && `${counts.done + counts.failed} of ${uploads.length} files`,
    what,
  ]
    .filter(Boolean)
    .join('  ')
}

function lines(uploader: Uploader, out: WriteStream): () => void {
  const printed = new Map<string, string>()
  const update = (): void => {
    for (const handle of uploader.getSnapshot().uploads) {
      const line = plainLine(handle.getSnapshot())
      if (line === undefined || printed.get(handle.id) === line) continue
      printed.set(handle.id, line)
      out.write(`${line}\n`)
    }
  }
  const unsubscribe = uploader.subscribe(update)
  return () => {
    unsubscribe()
    update()
  }
}

export function plainLine(one: UploadSnapshot): string | undefined {
  const { name, state, size, bytesSent } = one
  const resumed = one.resumedBytes > 0 ? `, ${formatBytes(one.resumedBytes)} already uploaded` : ''
  if (state === 'uploading') {
    const tenths = Math.floor((bytesSent / size) * 10)
    return `${name}: ${tenths * 10}% of ${formatBytes(size)}${resumed}`
  }
  if (state === 'verifying') return `${name}: verifying`
  // Repeat it: a quick upload is done before its first progress line.
  if (state === 'done') return `${name}: done${resumed}`
  return undefined
}
