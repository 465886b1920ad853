import type { Services } from '../container.ts'
import { AppError } from '../errors.ts'
import { endpoint } from './endpoint.ts'

/** A thumbnail never changes: the first one stays, and a new file has a new id. */
const YEAR_SECONDS = 31_536_000

/** `GET /files/{id}/thumbnail`: the small picture of an own file, which the browser keeps. For `<img>`, so never a page. */
export function showThumbnail(
  request: Request,
  services: Services | Promise<Services>,
  fileId: string,
): Promise<Response> {
  return endpoint(request, services, async ({ services: { authenticate, uploads, runCall } }) => {
    const user = await authenticate(request)
    if (!user)
      throw new AppError(
        'UNAUTHORIZED',
        'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
      )
    if (user.via === 'apiKey' && !user.scopes.includes('files:read'))
      throw new AppError('FORBIDDEN', 'This API key lacks the scope files:read.')
    const read = () => uploads.thumbnail(user.id, fileId)
    const data = await runCall(`user:${user.id}`, read, request.signal)
    return {
      status: 200,
      content: { type: 'image/webp', data },
      headers: { 'cache-control': `private, max-age=${YEAR_SECONDS}, immutable` },
    }
  })
}
