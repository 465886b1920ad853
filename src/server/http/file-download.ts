import type { Services } from '../container.ts'
import { AppError, isAppError } from '../errors.ts'
import { endpoint } from './endpoint.ts'

/**
 * `GET /files/{id}`: redirects the owner of a ready file to a presigned GET, or for HEAD to a presigned HEAD, since a
 * signature is valid for one method. `?download` makes it an attachment. Without a session a browser is redirected to
 * the sign-in page and any other client gets 401.
 */
export function downloadFile(
  request: Request,
  services: Services | Promise<Services>,
  fileId: string,
): Promise<Response> {
  return endpoint(request, services, async ({ services: { authenticate, uploads, runCall, config } }) => {
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
    if (user.via === 'apiKey' && !user.scopes.includes('files:read'))
      throw new AppError('FORBIDDEN', 'This API key lacks the scope files:read.')
    try {
      const options = {
        download: url.searchParams.has('download'),
        method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      } as const
      const presign = () => uploads.downloadUrl(user.id, fileId, options)
      return redirect((await runCall(`user:${user.id}`, presign, request.signal)).url)
    } catch (error) {
      // A file that is not ready does not exist at this URL.
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

/** True for a user who navigates, false for a script, an image tag or curl. */
export function isBrowser(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html')
}
