import { htmlResponse } from '../../server/api/http/page.ts'
import { notFoundPage } from '../../ui/plain-pages/not-found-page.ts'
import { plainPageRoute } from '../serve-page.ts'

/** Paths that neither a page nor another route has. */
const handler = plainPageRoute(async (_request, { config }, context) =>
  htmlResponse(404, notFoundPage(context, config.baseUrl)),
)

export {
  handler as DELETE,
  handler as GET,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
}
