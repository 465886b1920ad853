// Where a sign-in leads afterwards, whatever the link says. A real browser parses what we send it there with.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeRedirectUrl } from '../../src/server/http/next-auth/safe-redirect-url.ts'
import { safeRedirectPath } from '../../src/ui/sign-in/safe-redirect-path.ts'
import { describeSite } from './support/site.ts'

const PASSWORD = 'correct horse battery'
const HOSTILE = [
  '/.//evil.example',
  '/./\\evil.example',
  '\t//evil.example',
  'javascript:document.title="evil"',
]

/** Pieces that URL parsers disagree about, or that begin, hide or end a host. */
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
  test('any callbackUrl, however hostile, leads the browser to a page of ours', async () => {
    const page = await site.open(null, { path: '/signin' })
    const { origin, host } = new URL(site.url)
    const piece = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PIECES, site.url, host, `${site.url}@evil.example`) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
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
        // As `location.assign` and a Location header resolve them, from the two places that send people on.
        const origins = await page.evaluate(
          ([list, bases]) => list.flatMap((target) => bases.map((base) => new URL(target, base).origin)),
          [targets, [`${site.url}/signin`, `${site.url}/api/auth/callback/oidc?state=x`]] as const,
        )
        expect(origins.filter((one) => one !== origin)).toEqual([])
        // Nothing that a header or another parser could read otherwise.
        expect(targets.filter((target) => !/^[\x21-\x7e]+$/.test(target))).toEqual([])
        expect(targets.filter((target) => /^[/\\]{2}/.test(target))).toEqual([])
        checked += values.length
      }),
      { numRuns: 5, endOnFailure: true },
    )
    expect(checked).toBeGreaterThanOrEqual(2_000)
  })

  test.each(HOSTILE)(
    '%j: a browser that signs in and one that is signed in stay here',
    async (callbackUrl) => {
      const user = await site.user({ password: PASSWORD })
      const path = `/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`
      const page = await site.open(null, { path })
      const elsewhere: string[] = []
      page.on('request', (request) => {
        if (request.isNavigationRequest() && !request.url().startsWith(`${site.url}/`))
          elsewhere.push(request.url())
      })
      // Which page it leads to is all that counts.
      await page.route(`${site.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: 'here' }))
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${site.url}/`)
      await page.unroute(`${site.url}/`)
      // Redirects are not routed, so this is the whole page; it is left before its scripts run.
      await page.goto(`${site.url}${path}`, { waitUntil: 'commit' })
      expect(page.url()).toBe(`${site.url}/`)
      expect(elsewhere).toEqual([])
    },
  )
})
