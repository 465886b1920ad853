import type { UploadFailure, UploadHandle, UploadSnapshot } from '../upload/types.ts'

export const CONTINUES = 'Run the same command to continue where this one stopped.'

/** Prints the result of each file, in the order given. Returns whether all arrived. */
export function printResults(handles: UploadHandle[], json: boolean): boolean {
  const snapshots = handles.map((handle) => handle.getSnapshot())
  for (const snapshot of snapshots) {
    if (json) console.log(JSON.stringify(resultOf(snapshot)))
    else if (snapshot.file) console.log(snapshot.file.url)
    if (snapshot.file?.state === 'HELD')
      console.error(`${snapshot.name}: The file is being checked. Its link works once it is accepted.`)
    if (snapshot.warning) console.error(`${snapshot.name}: ${snapshot.warning}`)
    if (snapshot.error)
      console.error(`${snapshot.name}: ${snapshot.error.message}${requestOf(snapshot.error)}`)
  }
  const isTransient = (code: string | undefined) => code === 'NETWORK' || code === 'SERVER_ERROR'
  if (snapshots.some(({ error }) => isTransient(error?.code))) console.error(CONTINUES)
  return snapshots.every(({ file }) => file !== null)
}

function resultOf({ name, size, file, error, state }: UploadSnapshot) {
  if (file) return { name, size, file }
  // Interrupted: the file has neither arrived nor failed.
  return { name, size, error: error ?? { code: 'UNFINISHED', message: CONTINUES, retryable: true, state } }
}

/** Returns the request ID, which operators use to find the request in the log. */
function requestOf(error: UploadFailure): string {
  return error.requestId ? ` (request ${error.requestId})` : ''
}
