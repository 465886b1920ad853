import { AppError } from '../../kernel/errors.ts'
import type { Services } from '../services.ts'
import { handleTrpc } from '../trpc/handler.ts'
import { readBody } from './body.ts'
import { rejectForeignForm } from './foreign-form.ts'
import { innerRequest } from './inner-request.ts'
import { handleNextAuth } from './next-auth/handler.ts'

/** The largest form has a name, an email, a password and a token. */
const MAX_FORM_BYTES = 16 * 1024

/** Fields of a rejected form, and the data of tRPC's error. */
export type RejectedSignUp = {
  name: string
  email: string
  status: number
  error: { code: string; requestId?: string; fieldErrors?: Record<string, string[]> }
}

/**
 * Creates an account and a session with the sign-up form of a browser without scripts. Uses the same procedure and the
 * same route of next-auth as the page's script, so the same limits apply. Returns the redirect that sets the session
 * cookie, or why the form was rejected. Throws FORBIDDEN for a form of another site.
 */
export async function signUpWithForm(
  request: Request,
  services: Services,
): Promise<Response | RejectedSignUp> {
  const { baseUrl } = services.config
  rejectForeignForm(request, baseUrl)
  if (!request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded'))
    throw new AppError(
      'BAD_REQUEST',
      'Send the form of the sign-up page (application/x-www-form-urlencoded).',
    )
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(request, MAX_FORM_BYTES)))
  const field = (name: string) => form.get(name) ?? ''
  const email = field('email')
  const password = field('password')
  const name = field('name').trim()
  const signUp = innerRequest(request, `${baseUrl}/api/trpc/account.signUp`, {
    type: 'application/json',
    text: JSON.stringify({ email, password, name: name || undefined }),
  })
  const created = await handleTrpc(signUp, Promise.resolve(services))
  if (!created.ok) {
    const { error } = (await created.json()) as { error: { data: RejectedSignUp['error'] } }
    return { name, email, status: created.status, error: error.data }
  }
  const signIn = innerRequest(request, `${baseUrl}/api/auth/callback/credentials`, {
    type: 'application/x-www-form-urlencoded',
    text: new URLSearchParams({
      email,
      password,
      csrfToken: field('csrfToken'),
      callbackUrl: '/',
    }).toString(),
  })
  return handleNextAuth(signIn, Promise.resolve(services))
}
