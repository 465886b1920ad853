import type { Services } from '../container.ts'
import { AppError, isAppError } from '../errors.ts'
import { endpoint } from './endpoint.ts'

/**
 * `GET /files/{id}`: to the owner of a ready file a redirect to a presigned GET (of a HEAD: to a presigned HEAD, as
 * a signature holds for one method), as attachment with `?download`. Without a session a browser is sent to the sign-in page, anything else gets 401.
 */
export function downloadFile(
  request: Request,
  services: Services | Promise<Services>,
  fileId: string,
): Promise<Response> {
  return endpoint(request, services, async ({ services: { authenticate, uploads, config } }) => {
    const user = await authenticate(request)
    const url = new URL(request.url)
    if (!user) {
      if (!isBrowser(request))
        throw new AppError(
          'UNAUTHORIZED',
          'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
        )
      const back = encodeURIComponent(`${config.baseUrl}${url.pathname}${url.search}`)
      return redirect(`${config.baseUrl}/signin?callbackUrl=${back}`)
    }
    try {
      const presigned = await uploads.downloadUrl(user.id, fileId, {
        download: url.searchParams.has('download'),
        method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      })
      return redirect(presigned.url)
    } catch (error) {
      // What is not ready is not there, as far as this address is concerned.
      if (isAppError(error) && error.code === 'BAD_REQUEST')
        throw new AppError('NOT_FOUND', 'No file of yours that is ready has this id.')
      throw error
    }
  })
}

function redirect(location: string) {
  return {
    status: 302,
    headers: { location, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
  }
}

/** A person who navigates, not a script, an image tag or curl. */
function isBrowser(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html')
}
