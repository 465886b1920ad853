import { UNLOCKED_SECONDS } from '../../domain/shares/visits.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import { withoutDirectionOverrides } from '../../kernel/validation.ts'
import { readCookies } from '../access/session-cookie.ts'
import type { Services } from '../services.ts'
import { readBody } from './body.ts'
import { type Call, endpoint, type Result } from './endpoint.ts'
import { isBrowser } from './file-download.ts'
import { rejectForeignForm } from './foreign-form.ts'

/**
 * User agents of programs that open links automatically: messenger previews, crawlers and email scanners, as their
 * documentation names them. A scanner that poses as a browser opens a link's page, but presses no button on it.
 */
const SCANNERS =
  /bot\b|crawl|spider|slurp|preview|scan|facebookexternalhit|meta-external|whatsapp|skypeuri|slack-img|embedly|pinterest|google-(?:safety|inspection|read-aloud)|safelinks|barracuda|proofpoint|mimecast|symantec|urldefense/i

/** Returns true for scanners and for browsers that prefetch. */
function isLinkScanner(request: Request): boolean {
  const { headers } = request
  const purpose =
    headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-purpose') ?? headers.get('x-moz')
  return /prefetch|preview|prerender/i.test(purpose ?? '') || SCANNERS.test(headers.get('user-agent') ?? '')
}

/** Maximum size of a form with one password. */
const MAX_FORM_BYTES = 8 * 1024

/** Content of a shared link's page before the download. */
type SharedFileView = {
  filename: string
  /** Name of the user who shares the file, if there is one. */
  sharedBy: string | null
  mimeType: string
  /** Bytes. */
  size: number
  expiresAt: Date
  /** Presigned URL of the image to show, or null. */
  preview: string | null
  downloadUrl: string
}

/** Pages of a shared link, as HTML. The app provides them, and this module selects one. */
export type SharePages = {
  unavailable(request: Request): string
  locked(request: Request, problem: 'wrongPassword' | 'tooManyPasswords' | null): string
  open(request: Request, file: SharedFileView): string
}

type Pending = Services | Promise<Services>
type ShareHandler = (
  request: Request,
  services: Pending,
  token: string,
  pages: SharePages,
) => Promise<Response>

/** `GET /s/{token}`: shows the shared file, or the form for its password. Does not count as a download. */
export const showShare: ShareHandler = (request, services, token, pages) =>
  queuedEndpoint(request, services, async (call) => {
    const { visits } = call.services.shares
    const visit = await visits.visit(token, unlockCookie(call))
    if (visit.state === 'unavailable') return unavailable(request, pages)
    if (visit.state === 'locked') return page(200, pages.locked(request, null))
    const { file, ownerName, expiresAt } = visit.share
    const view = {
      filename: withoutDirectionOverrides(file.filename),
      sharedBy: ownerName && withoutDirectionOverrides(ownerName),
      mimeType: file.mimeType,
      size: file.size,
      expiresAt,
      preview: await visits.preview(file),
      downloadUrl: `${pathOf(token)}/download`,
    }
    return page(200, pages.open(request, view))
  })

/** `POST /s/{token}`: checks the form field `password`. The right one sets a cookie that unlocks only this link. */
export const unlockShare: ShareHandler = (request, services, token, pages) =>
  endpoint(request, services, async (call) => {
    const { countCall, shares } = call.services
    // Not in the call queue: the queue for password hashing rejects attempts over a limit before they wait.
    call.leaveQueue('unknown')
    countCall(callerOf(call))
    // They could use up the password attempts of their visitors' addresses.
    rejectForeignForm(request, call.services.config.baseUrl)
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
    if (cookie === null) return unavailable(request, pages)
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
          // Lax, because visitors follow links in emails and chats.
          'SameSite=Lax',
          ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
        ].join('; '),
      },
    }
  })

/** `GET /s/{token}/download`: counts the download and redirects to a presigned GET. HEAD and scanners do not count. */
export const downloadShare: ShareHandler = (request, services, token, pages) =>
  queuedEndpoint(request, services, async (call) => {
    const { visits } = call.services.shares
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
    const isDownload = method === 'GET' && !isLinkScanner(request)
    const found = await visits.download(token, unlockCookie(call), { counted: isDownload, method })
    if (found.state === 'unavailable') return unavailable(request, pages)
    if (found.state === 'ready') return { status: 302, headers: { location: found.url } }
    if (isBrowser(request))
      return { status: 302, headers: { location: `${call.services.config.baseUrl}${pathOf(token)}` } }
    throw new AppError(
      'FORBIDDEN',
      'This link needs a password. POST it to the link as the form field "password", then send the cookie from the response.',
    )
  })

/** Identifies callers by address, like all calls without a session. */
const callerOf = ({ address }: Call) => `address:${address}`

/** Like `endpoint`, but its calls wait in the call queue. */
function queuedEndpoint(request: Request, services: Pending, handle: (call: Call) => Promise<Result>) {
  return endpoint(request, services, (call) => {
    call.leaveQueue('unknown')
    return call.services.runCall(callerOf(call), () => handle(call), request.signal)
  })
}

const page = (status: number, html: string): Result => ({
  status,
  content: { type: 'text/html; charset=utf-8', data: html },
})

function unavailable(request: Request, pages: SharePages): Result {
  if (isBrowser(request)) return page(404, pages.unavailable(request))
  throw new AppError('NOT_FOUND', 'This link does not work. Check it, or ask the sender for a new one.')
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

/** Not `__Host-`, which requires the path `/`: a cookie must be sent to its own link only. */
function cookieName(baseUrl: string): string {
  return `${baseUrl.startsWith('https:') ? '__Secure-' : ''}pigeonhole-share`
}
