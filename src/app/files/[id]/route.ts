import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { downloadFile, isBrowser } from '../../../server/api/http/file-download.ts'
import { htmlResponse } from '../../../server/api/http/page.ts'
import { getServices } from '../../../server/wiring/services.ts'
import { missingFilePage } from '../../../ui/plain-pages/missing-file-page.ts'
import { plainPageRoute } from '../../serve-page.ts'
import { sessionUser } from '../../session-user.ts'

/** Allows only the app's own script and style. */
const POLICY =
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  const response = await downloadFile(request, await getServices(), (await params).id)
  return response.status === 404 && isBrowser(request) ? showMissingFile(request) : response
}

const showMissingFile = plainPageRoute(async (request, services, context) => {
  const user = await sessionUser(request.headers.get('cookie'), services)
  const { pathname, search } = new URL(request.url)
  const page = missingFilePage(context, {
    siteUrl: services.config.baseUrl,
    path: pathname + search,
    email: user?.email,
  })
  const response = htmlResponse(404, page)
  response.headers.set('content-security-policy', POLICY)
  return response
})

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
