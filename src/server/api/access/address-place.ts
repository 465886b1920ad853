type Leave = (caller?: 'unknown') => void

const places = new WeakMap<Request, Leave>()

/** Tells handlers how a request leaves the queue of its address. */
export function setAddressPlace(request: Request, leave: Leave): void {
  places.set(request, leave)
}

/**
 * Makes room for the address's next request. Call it when the caller is known and counted, or when another queue limits
 * what follows; the time of an unknown caller then counts against its address. A request that never leaves counts as
 * a call of its address.
 */
export function leaveAddressQueue(request: Request, caller?: 'unknown'): void {
  places.get(request)?.(caller)
}
