import { AppError } from '../../kernel/errors.ts'

/**
 * Rejects forms on other sites. Browsers from before 2023 send only `Origin`. From a page whose Referrer-Policy is
 * no-referrer, it is `null`.
 */
export function rejectForeignForm({ headers }: Request, baseUrl: string): void {
  const site = headers.get('sec-fetch-site') ?? 'none'
  const origin = headers.get('origin') ?? 'null'
  const isOwnSite = site === 'same-origin' || site === 'none'
  if (isOwnSite && (origin === 'null' || origin === new URL(baseUrl).origin)) return
  throw new AppError(
    'FORBIDDEN',
    'This form is on another site. Open this address directly and fill in the form there.',
  )
}
