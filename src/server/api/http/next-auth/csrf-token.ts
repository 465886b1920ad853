import type { Services } from '../../services.ts'
import { innerRequest } from '../inner-request.ts'
import { handleNextAuth } from './handler.ts'

/** Token that next-auth requires in forms, and the cookies without which it rejects the token. */
export type CsrfToken = { token: string; cookies: string[] }

/** Returns the token of the browser that sent `request`, which is a new one if it has none. */
export async function csrfTokenOf(request: Request, services: Services): Promise<CsrfToken> {
  const inner = innerRequest(request, `${services.config.baseUrl}/api/auth/csrf`)
  const response = await handleNextAuth(inner, Promise.resolve(services))
  const { csrfToken } = (await response.json()) as { csrfToken: string }
  return { token: csrfToken, cookies: response.headers.getSetCookie() }
}
