import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { downloadFile, isBrowser } from '../../../server/api/http/file-download.ts'
import { htmlResponse } from '../../../server/api/http/page.ts'
import { getServices } from '../../../server/wiring/services.ts'
import { missingFilePage } from '../../../ui/plain-pages/missing-file-page.ts'
import { plainPageRoute } from '../../serve-page.ts'
import { sessionUser } from '../../session-user.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  const response = await downloadFile(request, await getServices(), (await params).id)
  return response.status === 404 && isBrowser(request) ? showMissingFile(request) : response
}

const showMissingFile = plainPageRoute(async (request, services, context) => {
  const user = await sessionUser(request.headers.get('cookie'), services)
  const { pathname, searchParams } = new URL(request.url)
  const page = missingFilePage(context, {
    siteUrl: services.config.baseUrl,
    // Normalize the query: Next turns "?download" into "?download=", our server does not.
    path: searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname,
    email: user?.email,
  })
  return htmlResponse(404, page)
})

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
