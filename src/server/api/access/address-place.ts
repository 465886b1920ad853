type Place = { leave(caller?: 'unknown'): void }

const PLACE = Symbol('place in the queue of the address')
type Placed = Request & { [PLACE]?: Place }

/** Tells handlers how a request leaves the queue of its address. */
export function setAddressPlace(request: Request, place: Place): void {
  const placed: Placed = request
  placed[PLACE] = place
}

/**
 * Makes room for the address's next request. Call it when the caller is known and counted, or when another queue limits
 * what follows; the time of an unknown caller then counts against its address. A request that never leaves counts as
 * a call of its address.
 */
export function leaveAddressQueue(request: Request, caller?: 'unknown'): void {
  const placed: Placed = request
  placed[PLACE]?.leave(caller)
}
