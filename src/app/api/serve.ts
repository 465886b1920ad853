import { getServices } from '../../server/wiring/services.ts'

type Handle<Params, Services> = (request: Request, services: Services, params: Params) => Promise<Response>

/**
 * Converts an operation's handler to a route export, which passes the process's services and the path's parameters.
 * `npm start` calls `direct`, which needs no promise of the parameters.
 */
export function serve<Params, Description>(
  handle: Handle<Params, ReturnType<typeof getServices>> & { operation: Description },
) {
  const direct = (request: Request, params: Params) => handle(request, getServices(), params)
  const route = async (request: Request, { params }: { params: Promise<Params> }) =>
    direct(request, await params)
  return Object.assign(route, { direct, operation: handle.operation })
}
