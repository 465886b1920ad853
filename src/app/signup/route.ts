import { allowOnly } from '../../server/api/http/allowed-methods.ts'
import { csrfTokenOf } from '../../server/api/http/next-auth/csrf-token.ts'
import { htmlResponse } from '../../server/api/http/page.ts'
import { signUpWithForm } from '../../server/api/http/sign-up-form.ts'
import { errorText } from '../../ui/context/error-text.ts'
import { SIGN_UP_ERRORS } from '../../ui/plain-pages/sign-up-errors.ts'
import { signUpPage } from '../../ui/plain-pages/sign-up-page.ts'
import { plainPageRoute } from '../serve-page.ts'
import { sessionUser } from '../session-user.ts'

export const GET = plainPageRoute(async (request, services, context) => {
  const { baseUrl, allowSignUp } = services.config
  if (await sessionUser(request.headers.get('cookie'), services))
    return new Response(null, { status: 307, headers: { location: '/', 'cache-control': 'no-store' } })
  const { token, cookies } = await csrfTokenOf(request, services)
  const page = signUpPage(context, { siteUrl: baseUrl, isOpen: allowSignUp, csrfToken: token })
  return htmlResponse(200, page, cookies)
})

/** The form of a browser without scripts. */
export const POST = plainPageRoute(async (request, services, context) => {
  const result = await signUpWithForm(request, services)
  if (result instanceof Response) return result
  const { baseUrl, allowSignUp } = services.config
  const { token, cookies } = await csrfTokenOf(request, services)
  const { name, email, status, error } = result
  // Show invalid fields next to the field, and all other errors above the form.
  const fieldErrors = error.code === 'BAD_REQUEST' ? error.fieldErrors : undefined
  const page = signUpPage(context, {
    siteUrl: baseUrl,
    isOpen: allowSignUp,
    csrfToken: token,
    rejected: {
      name,
      email,
      fields: fieldErrors ?? {},
      error: fieldErrors
        ? undefined
        : errorText(context.t, Object.assign(new Error(error.code), error), SIGN_UP_ERRORS),
    },
  })
  return htmlResponse(status, page, cookies)
})

export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
