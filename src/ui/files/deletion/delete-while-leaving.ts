/** The server's limit for one request. */
const BATCH = 20

/**
 * Sends `files.delete` for all files, to be carried out after the page is gone. The API client would send a moment
 * later, when the page has no moment left. Browsers take 64 KB of such requests, about 1,000 files; what is more stays
 * in the notes, and the next page sends it.
 */
export function deleteWhileLeaving(ids: string[]): void {
  for (let i = 0; i < ids.length; i += BATCH) {
    const batch = ids.slice(i, i + BATCH)
    fetch(`/api/trpc/${batch.map(() => 'files.delete').join()}?batch=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(batch.map((fileId, n) => [n, { fileId }]))),
      keepalive: true,
      // Nobody is there to be told.
    }).catch(() => {})
  }
}
