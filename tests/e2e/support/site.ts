// The built server and a browser. An unexpected console error or page error fails the test.

import type { QueryResultRow } from 'pg'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { chromiumFor, newContext } from '../../support/browser/chromium.ts'
import { type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { ownSite, type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import { testPool } from '../../support/test-pool.ts'
import type { TestUser } from '../../support/users.ts'
import { type Clean, cleaner, closeContext } from './clean-page.ts'

export const browser = await chromiumFor('tests of the web pages')

type ContextOptions = BrowserContextOptions & {
  /** Prefetches the pages of visible links, as in production. Needs a new browser context. */
  prefetch?: boolean
}

type OpenOptions = ContextOptions & {
  /** Path on the site. Default: the files page. */
  path?: string
  /** Waits until the page is ready. Default: until a signed-in page is hydrated. */
  wait?(page: Page): Promise<unknown>
  /** Uses a full browser instead of the headless shell. */
  full?: boolean
  /** Uses a new browser context, for changes that cleaner() cannot restore. */
  own?: boolean
}

export type Site = {
  readonly server: SharedServer
  readonly url: string
  user: BuiltServer['user']
  /** Creates a user who is an administrator. */
  admin: BuiltServer['user']
  /** Runs a statement in the server's database and returns its rows. */
  query<T extends QueryResultRow = QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]>
  /** Opens a page in a clean browser context, with the session cookie of `user`. Null: signed out. */
  open(user: TestUser | null, options?: OpenOptions): Promise<Page>
  /** Allows console errors that the test causes. */
  expectErrors(...patterns: RegExp[]): void
}

/** Environment of a separate server, besides that of its usual emulators. */
export type Surroundings = { env: Record<string, string>; close(): Promise<void> }

/**
 * The first page of each test that requests only media, permissions and a size. It is cleaned between tests, and
 * between the files of a worker that use its server. A page in a new context costs 0.75 s of CPU. This one costs
 * 0.5 s, because the app's JavaScript is already compiled.
 */
type SharedPage = { page: Page; origin: string; isTaken: boolean; clean: Clean }

let shared: SharedPage | undefined

async function endShared(): Promise<void> {
  const ended = shared
  shared = undefined
  await ended?.page.context().close()
}

/** The last part reports run at the same time as the completion. The server rejects late ones, which the client ignores. */
export const LATE_REPORTS = /status of 400 .*\/upload\.completePart/

/** Console errors and page errors of the current test. A worker runs its files one after another. */
let errors: string[] = []

/**
 * Runs the tests of a file with a server and a browser. Skips them with a message where no Chromium starts. `surround`
 * runs first, and requests a separate server instead of the worker's.
 */
export function describeSite(
  name: string,
  tests: (site: Site) => void,
  surround?: () => Promise<Surroundings>,
): void {
  describe.skipIf(!browser)(name, () => {
    let server: SharedServer
    let own: BuiltServer | undefined
    let surroundings: Surroundings | undefined
    let expected: RegExp[] = []
    const contexts: BrowserContext[] = []

    beforeAll(async () => {
      surroundings = await surround?.()
      if (surroundings) {
        const env = { ...(await ownSite()), ...surroundings.env }
        own = await startBuiltServer(env, { cheapPasswords: true })
      }
      server = own ?? (await sharedServer())
      // An interrupted file can leave errors behind.
      if (shared?.isTaken) await endShared()
    })
    afterAll(async () => {
      if (own && shared?.origin === site.url) await endShared()
      await own?.close()
      await surroundings?.close()
    })
    afterEach(async ({ task }) => {
      for (const context of contexts.splice(0)) await closeContext(context)
      // A failed test may have left changes that it would have reverted.
      if (task.result?.state === 'fail') await endShared()
      if (shared?.isTaken) await giveBack(shared)
      const stray = errors.filter(
        (text) => ![...expected, LATE_REPORTS].some((pattern) => pattern.test(text)),
      )
      errors = []
      expected = []
      expect(stray).toEqual([])
    })

    async function giveBack(one: SharedPage): Promise<void> {
      try {
        await one.clean(one.origin)
        one.isTaken = false
      } catch {
        // The page crashed, or the test has closed it.
        await endShared()
      }
    }

    async function newPage(full: boolean, { prefetch, ...options }: ContextOptions): Promise<Page> {
      const context = await newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options }, { full })
      // Tests cannot answer the File System Access picker; without it, the page uses an input.
      await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
      if (!prefetch) await context.addInitScript(answerPrefetches)
      context.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
      })
      context.on('weberror', (error) => errors.push(String(error.error())))
      // Accepts "Leave the page?", which appears during uploads.
      context.on('dialog', (dialog) => dialog.accept().catch(() => {}))
      return context.newPage()
    }

    async function sharedPage(): Promise<Page> {
      const isFit = shared?.origin === site.url && !shared.isTaken && !shared.page.isClosed()
      if (!isFit) await endShared()
      if (!shared) {
        const page = await newPage(false, {})
        shared = { page, origin: site.url, isTaken: true, clean: cleaner(page) }
      }
      shared.isTaken = true
      return shared.page
    }

    async function ownPage(full: boolean, options: ContextOptions): Promise<Page> {
      const page = await newPage(full, options)
      contexts.push(page.context())
      return page
    }

    const site: Site = {
      get server() {
        return server
      },
      get url() {
        return server.env.NEXTAUTH_URL!
      },
      user: (options) => server.user(options),
      async admin(options) {
        const user = await server.user(options)
        await site.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [user.id])
        return user
      },
      async query<T extends QueryResultRow>(sql: string, values?: unknown[]) {
        return (await testPool(server.databaseUrl).query<T>(sql, values)).rows
      },
      expectErrors: (...patterns) => expected.push(...patterns),
      async open(user, { path = '/', wait, full = false, own = false, prefetch = false, ...options } = {}) {
        const { colorScheme, forcedColors, reducedMotion, permissions, viewport, ...more } = options
        const isFirst = !(shared?.isTaken && shared.origin === site.url)
        const isOwn = !isFirst || full || own || prefetch || Object.keys(more).length > 0
        const page = isOwn ? await ownPage(full, { ...more, viewport, prefetch }) : await sharedPage()
        if (viewport && !isOwn) await page.setViewportSize(viewport)
        if (permissions) await page.context().grantPermissions(permissions)
        await page.emulateMedia({ colorScheme, forcedColors, reducedMotion })
        const cookie = { name: 'next-auth.session-token', url: site.url }
        if (user) await page.context().addCookies([{ ...cookie, value: user.token }])
        await page.goto(`${site.url}${path}`)
        if (wait) await wait(page)
        else if (user) await ready(page)
        return page
      },
    }
    tests(site)
  })
}

/**
 * Answers Next's prefetches of visible links with 204 (no content), so that the router loads pages only on navigation.
 * A page for administrators prefetches 11 others, which takes 0.1 s of CPU.
 */
function answerPrefetches(): void {
  const send = window.fetch
  window.fetch = (input, init) =>
    new Headers(init?.headers).has('next-router-prefetch')
      ? Promise.resolve(new Response(null, { status: 204 }))
      : send(input, init)
}

/** Waits until a signed-in page is hydrated, because earlier clicks are lost. */
export async function ready(page: Page): Promise<void> {
  await page.locator('html[data-ready]').waitFor()
}

/** Makes the user's last sign-in older than the 15 minutes that some actions allow. */
export async function ageSessions(site: Site, { id }: Pick<TestUser, 'id'>): Promise<void> {
  await site.query(
    `UPDATE sessions SET created_at = created_at - interval '1 hour', authenticated_at = NULL WHERE user_id = $1`,
    [id],
  )
}
