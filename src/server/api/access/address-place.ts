const places = new WeakMap<Request, () => void>()

/** Tells handlers how a request leaves the queue of its address. */
export function setAddressPlace(request: Request, leave: () => void): void {
  places.set(request, leave)
}

/**
 * Makes room for the address's next request. Call it when the caller is known and counted, or when another queue limits
 * what follows. A request that never leaves counts as a call of its address.
 */
export function leaveAddressQueue(request: Request): void {
  places.get(request)?.()
}
