/** localStorage key, set once the user does not want notifications in this browser. */
const KEY = 'pigeonhole-push-invitation'

/** Remembers that the user dismissed the invitation or turned notifications off, so that the inbox does not ask again. */
export function rememberDeclinedPush(): void {
  try {
    localStorage.setItem(KEY, 'dismissed')
  } catch {
    // Some private windows have no storage. The invitation then returns with the next page.
  }
}

/** Returns true if the user does not want notifications in this browser. */
export function hasDeclinedPush(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
