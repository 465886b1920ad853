import type { IncomingHttpHeaders } from 'node:http'
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js'

const ROUTER_STATE = 'next-router-state-tree'

/**
 * Returns true unless the header with the state of Next's client router is malformed. Next itself throws, so that anyone
 * could cause a 500 and an error in the log. Uses Next's own check, because the header's form changes between versions.
 */
export function isRouterStateValid(headers: IncomingHttpHeaders): boolean {
  if (headers[ROUTER_STATE] === undefined) return true
  try {
    parseAndValidateFlightRouterState(headers[ROUTER_STATE])
    return true
  } catch {
    return false
  }
}

/**
 * Returns true for a call of a Server Action, of which this app has none. Next would log each with its stack, so that
 * anyone could fill the log.
 */
export function isServerAction(headers: IncomingHttpHeaders): boolean {
  return headers['next-action'] !== undefined || /^multipart\/form-data/i.test(headers['content-type'] ?? '')
}
