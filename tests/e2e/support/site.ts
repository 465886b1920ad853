// The built server with a browser in front of it. Every stray console error and page error fails the test.

import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import { freePorts } from '../../../src/cli/local/ports.ts'
import { chromiumFor } from '../../support/browser/chromium.ts'
import { type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import type { TestUser } from '../../support/users.ts'

const browser = await chromiumFor('tests of the web pages')

type OpenOptions = BrowserContextOptions & {
  /** Where to, on the site. Default: the files. */
  path?: string
  /** Chromium's own file picker, which no test can answer, instead of the page's input. */
  nativePicker?: boolean
}

export type Site = {
  readonly server: BuiltServer
  readonly url: string
  user: BuiltServer['user']
  /** A window of its own, signed in as `user` by the session's cookie. */
  open(user: TestUser | null, options?: OpenOptions): Promise<Page>
  /** Console errors that belong to what the test does. */
  expectErrors(...patterns: RegExp[]): void
}

/** One server and one browser for the tests inside; left out, visibly, where no Chromium runs. */
export function describeSite(name: string, env: Record<string, string>, tests: (site: Site) => void): void {
  describe.skipIf(!browser)(name, () => {
    vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 })
    let server: BuiltServer
    let errors: string[] = []
    let expected: RegExp[] = []

    beforeAll(async () => {
      const [port] = await freePorts(20_000 + Math.floor(Math.random() * 20_000), 1)
      const url = `http://localhost:${port}`
      server = await startBuiltServer({ PORT: String(port), NEXTAUTH_URL: url, ALLOW_SIGNUP: 'true', ...env })
    })
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    })
    afterEach(async () => {
      for (const context of browser?.contexts() ?? []) await context.close()
      const stray = errors.filter((text) => !expected.some((pattern) => pattern.test(text)))
      errors = []
      expected = []
      expect(stray).toEqual([])
    })

    const site: Site = {
      get server() {
        return server
      },
      get url() {
        return server.env.NEXTAUTH_URL!
      },
      user: (options) => server.user(options),
      expectErrors: (...patterns) => expected.push(...patterns),
      async open(user, { path = '/', nativePicker = false, ...options } = {}) {
        const context = await browser!.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
        context.setDefaultTimeout(30_000)
        if (user)
          await context.addCookies([{ name: 'next-auth.session-token', value: user.token, url: site.url }])
        if (!nativePicker)
          await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
        context.on('console', (message) => {
          if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
        })
        context.on('weberror', (error) => errors.push(String(error.error())))
        // "Leave the page?" while uploads run: yes.
        context.on('dialog', (dialog) => dialog.accept().catch(() => {}))
        const page = await context.newPage()
        await page.goto(`${site.url}${path}`)
        if (user) await ready(page)
        return page
      },
    }
    tests(site)
  })
}

/** Waits until a signed-in page answers: what is clicked before that is lost. */
export async function ready(page: Page): Promise<void> {
  await page.locator('html[data-ready]').waitFor()
}

/** Asks again and again until the answer is there. @throws Error after `timeoutMs` */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | null | undefined>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await sleep(50)
  }
}
