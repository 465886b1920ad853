import { getServices } from '../../server/wiring/services.ts'

type Handle<Params, Services> = (request: Request, services: Services, params: Params) => Promise<Response>

/** Converts an operation's handler to a route export, which passes the process's services and the path's parameters. */
export function serve<Params, Description>(
  handle: Handle<Params, ReturnType<typeof getServices>> & { operation: Description },
) {
  const route = async (request: Request, { params }: { params: Promise<Params> }) => {
    const pathParams = await params
    // An async function that returns a promise takes two more turns of the promise queue than one that awaits it.
    return await handle(request, getServices(), pathParams)
  }
  return Object.assign(route, { operation: handle.operation })
}
