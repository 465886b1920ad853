let leaving = false

/** Leaves the page for good, without being asked: signing out, or after it. */
export function leavePage(url: string): void {
  leaving = true
  location.assign(url)
}

export function isLeaving(): boolean {
  return leaving
}
