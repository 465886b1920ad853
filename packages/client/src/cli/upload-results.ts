import type { UploadFailure, UploadHandle, UploadSnapshot } from '../upload/types.ts'

export const CONTINUES = 'The same command continues where this one stopped.'

/** What came of each file, in the order given. Returns whether all arrived. */
export function printResults(handles: UploadHandle[], json: boolean): boolean {
  const snapshots = handles.map((handle) => handle.getSnapshot())
  for (const snapshot of snapshots) {
    if (json) console.log(JSON.stringify(resultOf(snapshot)))
    else if (snapshot.file) console.log(snapshot.file.url)
    if (snapshot.warning) console.error(`${snapshot.name}: ${snapshot.warning}`)
    if (snapshot.error)
      console.error(`${snapshot.name}: ${snapshot.error.message}${requestOf(snapshot.error)}`)
  }
  const isPassing = (code: string | undefined) => code === 'NETWORK' || code === 'SERVER_ERROR'
  if (snapshots.some(({ error }) => isPassing(error?.code))) console.error(CONTINUES)
  return snapshots.every(({ file }) => file !== null)
}

function resultOf({ name, size, file, error, state }: UploadSnapshot) {
  if (file) return { name, size, file }
  // Stopped in the middle: neither arrived nor failed.
  return { name, size, error: error ?? { code: 'UNFINISHED', message: CONTINUES, retryable: true, state } }
}

/** What an operator finds in the log. */
function requestOf(error: UploadFailure): string {
  return error.requestId ? ` (request ${error.requestId})` : ''
}
