import type { Services } from '../container.ts'
import { AppError, isAppError } from '../errors.ts'
import { UNLOCKED_SECONDS } from '../shares/visits.ts'
import { withoutDirectionOverrides } from '../validation.ts'
import { readCookies } from './authentication/session-cookie.ts'
import { readBody } from './body.ts'
import { type Answer, type Call, endpoint } from './endpoint.ts'
import { isBrowser } from './file-download.ts'
import { isLinkScanner } from './link-scanner.ts'

/** A form with one password. */
const MAX_FORM_BYTES = 8 * 1024

/** What a visitor sees of a shared file before the download. */
export type SharedFileView = {
  filename: string
  mimeType: string
  /** Bytes. */
  size: number
  expiresAt: Date
  /** Presigned URL of an image to show. */
  preview: string | null
  downloadUrl: string
}

/** The pages of a shared link, as HTML. They belong to the app; this decides which one is shown. */
export type SharePages = {
  dead(request: Request): string
  locked(request: Request, problem: 'wrongPassword' | 'tooManyPasswords' | null): string
  open(request: Request, file: SharedFileView): string
}

type Pending = Services | Promise<Services>

/** `GET /s/{token}`: what is shared, or the form for its password. Counts nothing. */
export function showShare(
  request: Request,
  services: Pending,
  token: string,
  pages: SharePages,
): Promise<Response> {
  return queuedEndpoint(request, services, async (call) => {
    const { visits } = call.services.shares
    const visit = await visits.visit(token, unlockCookie(call))
    if (visit.state === 'dead') return dead(request, pages)
    if (visit.state === 'locked') return page(200, pages.locked(request, null))
    const { file, expiresAt } = visit.share
    const view = {
      filename: withoutDirectionOverrides(file.filename),
      mimeType: file.mimeType,
      size: file.size,
      expiresAt,
      preview: await visits.preview(file),
      downloadUrl: `${pathOf(token)}/download`,
    }
    return page(200, pages.open(request, view))
  })
}

/** `POST /s/{token}`: the form with the field `password`. A right one sets a cookie that unlocks this link only. */
export function unlockShare(
  request: Request,
  services: Pending,
  token: string,
  pages: SharePages,
): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const { countCall, shares } = call.services
    // Without the queue of calls: that of password hashing refuses what is over a limit before it waits.
    countCall(callerOf(call))
    refuseForeignForm(request)
    const password = await readPassword(request)
    let cookie: string | null
    try {
      cookie = await shares.visits.unlock(token, password, call.address)
    } catch (error) {
      if (!isAppError(error) || !isBrowser(request)) throw error
      if (error.code === 'FORBIDDEN') return page(403, pages.locked(request, 'wrongPassword'))
      if (error.code !== 'TOO_MANY_REQUESTS') throw error
      const headers = { 'retry-after': String(Math.ceil(error.retryAfterSeconds ?? 1)) }
      return { ...page(429, pages.locked(request, 'tooManyPasswords')), headers }
    }
    if (cookie === null) return dead(request, pages)
    const { baseUrl } = call.services.config
    return {
      status: 303,
      headers: {
        location: `${baseUrl}${pathOf(token)}`,
        'set-cookie': [
          `${cookieName(baseUrl)}=${cookie}`,
          `Path=${pathOf(token)}`,
          `Max-Age=${UNLOCKED_SECONDS}`,
          'HttpOnly',
          // Lax: people come from a message of their mail or chat.
          'SameSite=Lax',
          ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
        ].join('; '),
      },
    }
  })
}

/** `GET /s/{token}/download`: counts, and redirects to a presigned GET, as attachment. HEAD and scanners do not count. */
export function downloadShare(
  request: Request,
  services: Pending,
  token: string,
  pages: SharePages,
): Promise<Response> {
  return queuedEndpoint(request, services, async (call) => {
    const { visits } = call.services.shares
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
    const isDownload = method === 'GET' && !isLinkScanner(request)
    const found = await visits.download(token, unlockCookie(call), { counted: isDownload, method })
    if (found.state === 'dead') return dead(request, pages)
    if (found.state === 'ready') return { status: 302, headers: { location: found.url } }
    if (isBrowser(request))
      return { status: 302, headers: { location: `${call.services.config.baseUrl}${pathOf(token)}` } }
    throw new AppError(
      'FORBIDDEN',
      'This link has a password. POST it as the form field "password" to the link, and send the cookie that you get.',
    )
  })
}

/** Counted like the calls of every address without a session. */
const callerOf = ({ address }: Call) => `address:${address}`

/** An endpoint whose calls wait for their turn. */
function queuedEndpoint(
  request: Request,
  services: Pending,
  handle: (call: Call) => Promise<Answer>,
): Promise<Response> {
  return endpoint(request, services, (call) =>
    call.services.runCall(callerOf(call), () => handle(call), request.signal),
  )
}

const page = (status: number, html: string): Answer => ({
  status,
  content: { type: 'text/html; charset=utf-8', data: html },
})

function dead(request: Request, pages: SharePages): Answer {
  if (isBrowser(request)) return page(404, pages.dead(request))
  throw new AppError('NOT_FOUND', 'This link does not work any more. Ask whoever sent it for a new one.')
}

/** Another site's form would use up the attempts of its visitors' address. */
function refuseForeignForm(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new AppError('FORBIDDEN', 'Open the link itself, and enter its password there.')
}

async function readPassword(request: Request): Promise<string> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(request, MAX_FORM_BYTES)))
  const password = form.get('password')
  if (type !== 'application/x-www-form-urlencoded' || password === null)
    throw new AppError(
      'BAD_REQUEST',
      'Send a form (application/x-www-form-urlencoded) with the field "password".',
    )
  return password
}

const pathOf = (token: string) => `/s/${token}`

function unlockCookie({ request, services }: Call): string | undefined {
  return readCookies(request)[cookieName(services.config.baseUrl)]
}

/** Not `__Host-`, which demands the path `/`: the cookie of one link is no other link's affair. */
function cookieName(baseUrl: string): string {
  return `${baseUrl.startsWith('https:') ? '__Secure-' : ''}pigeonhole-share`
}
