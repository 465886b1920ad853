import type { UploaderSnapshot, UploadHandle, UploadState } from '../types.ts'
import { secondsLeft } from './progress.ts'

type Totals = Pick<
  UploaderSnapshot,
  'counts' | 'size' | 'bytesSent' | 'bytesToResend' | 'speedBytesPerSecond' | 'secondsLeft'
>

/** Sums over a list of uploads. A thousand take about 0.1 ms. */
export function totalsOf(uploads: readonly UploadHandle[]): Totals {
  const counts: Record<UploadState, number> = {
    ...{ queued: 0, starting: 0, uploading: 0, pausing: 0, paused: 0 },
    ...{ verifying: 0, done: 0, failed: 0, cancelled: 0 },
  }
  let size = 0
  let bytesSent = 0
  let bytesToResend = 0
  let bytesLeft = 0
  let speed = 0
  for (const upload of uploads) {
    const one = upload.getSnapshot()
    counts[one.state]++
    if (one.state === 'failed' || one.state === 'cancelled') continue
    size += one.size
    bytesSent += one.bytesSent
    bytesToResend += one.bytesToResend
    if (one.state !== 'paused') bytesLeft += one.size - one.bytesSent
    speed += one.speedBytesPerSecond
  }
  return {
    counts,
    size,
    bytesSent,
    bytesToResend,
    speedBytesPerSecond: speed,
    secondsLeft: bytesLeft === 0 && bytesSent < size ? null : secondsLeft(bytesLeft, speed),
  }
}
