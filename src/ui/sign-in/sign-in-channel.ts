/** Tells the other tabs of this browser that the user has signed in again in this one. */
export function announceSignIn(): void {
  const channel = open()
  channel.postMessage(null)
  channel.close()
}

/** Calls `onSignIn` when the user has signed in again in another tab. Returns a function that stops this. */
export function watchSignIns(onSignIn: () => void): () => void {
  const channel = open()
  channel.onmessage = onSignIn
  return () => channel.close()
}

const open = () => new BroadcastChannel('pigeonhole-signed-in-again')
