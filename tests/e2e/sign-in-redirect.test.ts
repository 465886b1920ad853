// The page after a sign-in, regardless of the link. A real browser parses our redirects.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeRedirectUrl } from '../../src/server/api/http/next-auth/safe-redirect-url.ts'
import { safeRedirectPath } from '../../src/ui/sign-in/safe-redirect-path.ts'
import { anyText } from '../support/any-text.ts'
import { describeSite } from './support/site.ts'

const PASSWORD = 'correct horse battery'
const MALICIOUS = [
  '/.//evil.example',
  '/./\\evil.example',
  '\t//evil.example',
  'javascript:document.title="evil"',
]

/** Pieces that URL parsers interpret differently, or that start, hide or end a host. */
const PIECES = [
  ...[
    '/',
    '//',
    '///',
    '\\',
    '/\\',
    '.',
    '..',
    '/.',
    '/./',
    '/../',
    '%2e',
    '%2f',
    '%5c',
    '%09',
    '%00',
    '@',
    ':',
  ],
  ...[
    '?',
    '#',
    ';',
    '&',
    '\t',
    '\n',
    '\r',
    ' ',
    '\0',
    '\u00a0',
    '\u200b',
    '\u202e',
    '\ufeff',
    '／',
    '。',
    '＼',
  ],
  ...[
    'http:',
    'https:',
    'HTTPS:',
    'ws:',
    'file:',
    'blob:',
    'data:text/html,',
    'javascript:alert(1)',
    'signin',
  ],
  ...['evil.example', 'evil.example:443', '[::1]', '0x7f.1', 'user:pass@', 'localhost', 'files', '\ud800'],
]

describeSite('after signing in', (site) => {
  test('every callbackUrl, even a malicious one, leads to a page of this site', async () => {
    const page = await site.open(null, { path: '/signin' })
    const { origin, host } = new URL(site.url)
    const piece = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PIECES, site.url, host, `${site.url}@evil.example`) },
      { weight: 1, arbitrary: anyText({ maxLength: 4 }) },
    )
    const hostile = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
    )
    let checked = 0
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 400, maxLength: 400 }), async (values) => {
        const targets = values.flatMap((value) => [
          safeRedirectPath(value, site.url),
          safeRedirectUrl(value, site.url),
        ])
        // Resolve it like `location.assign` and a Location header, from the two pages that redirect users.
        const origins = await page.evaluate(
          ([list, bases]) => list.flatMap((target) => bases.map((base) => new URL(target, base).origin)),
          [targets, [`${site.url}/signin`, `${site.url}/api/auth/callback/oidc?state=x`]] as const,
        )
        expect(origins.filter((one) => one !== origin)).toEqual([])
        // It contains nothing that a header or another parser could interpret differently.
        expect(targets.filter((target) => !/^[\x21-\x7e]+$/.test(target))).toEqual([])
        expect(targets.filter((target) => /^[/\\]{2}/.test(target))).toEqual([])
        checked += values.length
      }),
      { numRuns: 5, endOnFailure: true },
    )
    expect(checked).toBeGreaterThanOrEqual(2_000)
  })

  test.each(MALICIOUS)(
    '%j: browsers stay on this site, whether they sign in or are signed in',
    async (callbackUrl) => {
      const user = await site.user({ password: PASSWORD })
      const path = `/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`
      const page = await site.open(null, { path })
      const elsewhere: string[] = []
      page.on('request', (request) => {
        if (request.isNavigationRequest() && !request.url().startsWith(`${site.url}/`))
          elsewhere.push(request.url())
      })
      // Only the target page matters.
      await page.route(`${site.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: 'here' }))
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${site.url}/`)
      await page.unroute(`${site.url}/`)
      // Playwright does not route redirects, so this loads the real page. The test leaves it before its scripts run.
      await page.goto(`${site.url}${path}`, { waitUntil: 'commit' })
      expect(page.url()).toBe(`${site.url}/`)
      expect(elsewhere).toEqual([])
    },
  )
})
