import type { Principal } from '../../domain/accounts/principal.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { passkeyFirst, signInFirst } from '../access/credentials.ts'
import type { Services } from '../services.ts'
import { endpoint } from './endpoint.ts'

/** Thumbnails never change: a file keeps its first one, and a new file has a new ID. */
const YEAR_SECONDS = 31_536_000

type FileHandler = (
  request: Request,
  services: Services | Promise<Services>,
  fileId: string,
) => Promise<Response>

/**
 * `GET /files/{id}`: redirects the owner of a ready file to a presigned GET. HEAD redirects to a presigned HEAD, because
 * a signature is valid for one method. `?download` makes the file an attachment. Without a session, browsers are
 * redirected to the sign-in page and other clients get 401.
 */
export const downloadFile: FileHandler = (request, services, fileId) =>
  endpoint(
    request,
    services,
    async ({ services: { authenticate, uploads, runCall, config }, leaveQueue }) => {
      const user = await authenticate(request)
      const url = new URL(request.url)
      if (!user && isBrowser(request)) {
        const back = encodeURIComponent(`${config.baseUrl}${url.pathname}${url.search}`)
        return redirect(`${config.baseUrl}/signin?callbackUrl=${back}`)
      }
      const { id } = requireReader(user)
      leaveQueue()
      try {
        const options = {
          download: url.searchParams.has('download'),
          method: request.method === 'HEAD' ? 'HEAD' : 'GET',
        } as const
        const presign = () => uploads.downloadUrl(id, fileId, options)
        return redirect((await runCall(`user:${id}`, presign, request.signal)).url)
      } catch (error) {
        // At this URL, a file that is not ready does not exist.
        if (isAppError(error) && error.code === 'BAD_REQUEST')
          throw new AppError('NOT_FOUND', 'File not found, or not ready yet.')
        throw error
      }
    },
  )

/** `GET /files/{id}/thumbnail`: returns the thumbnail of the user's own file, for `<img>`. Browsers cache it. */
export const showThumbnail: FileHandler = (request, services, fileId) =>
  endpoint(request, services, async ({ services: { authenticate, uploads, runCall }, leaveQueue }) => {
    const { id } = requireReader(await authenticate(request))
    leaveQueue()
    const data = await runCall(`user:${id}`, () => uploads.thumbnail(id, fileId), request.signal)
    return {
      status: 200,
      content: { type: 'image/webp', data },
      headers: { 'cache-control': `private, max-age=${YEAR_SECONDS}, immutable` },
    }
  })

/**
 * @throws AppError UNAUTHORIZED without a user; FORBIDDEN for an API key or user token that cannot read files, or an
 * administrator without a passkey
 */
function requireReader(user: Principal | null): Principal {
  if (!user) throw signInFirst()
  if (user.via === 'session' && user.needsPasskey) throw passkeyFirst()
  if ((user.via === 'apiKey' || user.via === 'userToken') && !user.scopes.includes('files:read'))
    throw new AppError('FORBIDDEN', 'This credential lacks the scope files:read. Create one that has it.')
  return user
}

function redirect(location: string) {
  return {
    status: 302,
    headers: { location, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
  }
}

/** Returns true for navigation in a browser, false for scripts, image elements and curl. */
export function isBrowser(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html')
}
