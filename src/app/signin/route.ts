import { readCookies } from '../../server/api/access/session-cookie.ts'
import { allowOnly } from '../../server/api/http/allowed-methods.ts'
import { TYPED_EMAIL_COOKIE, typedEmailCookie } from '../../server/api/http/next-auth/cookies.ts'
import { csrfTokenOf } from '../../server/api/http/next-auth/csrf-token.ts'
import { htmlResponse } from '../../server/api/http/page.ts'
import { PROVIDER_IDS } from '../../server/domain/accounts/schema.ts'
import { signInPage } from '../../ui/plain-pages/sign-in-page.ts'
import { providerNames } from '../../ui/sign-in/provider-names.ts'
import { safeRedirectPath } from '../../ui/sign-in/safe-redirect-path.ts'
import { plainPageRoute } from '../serve-page.ts'
import { sessionUser } from '../session-user.ts'

export const GET = plainPageRoute(async (request, services, context) => {
  const { config } = services
  const query = new URL(request.url).searchParams
  const next = safeRedirectPath(query.get('callbackUrl') ?? undefined, config.baseUrl)
  if (await sessionUser(request.headers.get('cookie'), services))
    return new Response(null, { status: 307, headers: { location: next, 'cache-control': 'no-store' } })
  const names = providerNames(context.t)
  const { token, cookies } = await csrfTokenOf(request, services)
  const typedEmail = readCookies(request)[TYPED_EMAIL_COOKIE]
  const page = signInPage(context, {
    siteUrl: config.baseUrl,
    next,
    csrfToken: token,
    error: query.get('error') ?? undefined,
    email: typedEmail,
    canReset: config.mail !== undefined,
    canSignUp: config.allowSignUp,
    providers: PROVIDER_IDS.filter((id) => config.providers[id]).map((id) => ({ id, name: names[id] })),
  })
  // Shown once.
  if (typedEmail !== undefined) cookies.push(typedEmailCookie(config.baseUrl))
  return htmlResponse(200, page, cookies)
})

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
