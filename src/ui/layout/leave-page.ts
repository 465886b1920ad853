let leaving = false

/** Leaves the page without the warning about unfinished uploads, for example after signing out. */
export function leavePage(url: string): void {
  leaving = true
  location.assign(url)
}

export function isLeaving(): boolean {
  return leaving
}
