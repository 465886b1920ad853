import { servePage } from '../server/api/http/page.ts'
import type { Services } from '../server/api/services.ts'
import { getServices } from '../server/wiring/services.ts'
import { errorPage } from '../ui/plain-pages/error-page.ts'
import { type PageContext, pageContext } from '../ui/plain-pages/page-context.ts'

type Render = (request: Request, services: Services, context: PageContext) => Promise<Response>

/** Returns the route export of a page that Next does not render. */
export function plainPageRoute(render: Render) {
  return (request: Request) => {
    const context = pageContext(request.headers)
    return servePage(
      request,
      getServices(),
      (services) => render(request, services, context),
      ({ requestId, baseUrl }) => errorPage(context, { requestId, siteUrl: baseUrl }),
    )
  }
}
