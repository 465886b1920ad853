// Every page in German, which has the longest words, and every page at 200% zoom.

import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { goTo } from './support/page.ts'
import { translationFaults, zoomFaults } from './support/page-checks.ts'
import { type PageReaders, preparePages } from './support/page-subjects.ts'
import { PAGES, type PageEntry } from './support/page-table.ts'
import { describeSite } from './support/site.ts'

describeSite('every page in German', (site) => {
  let readers: PageReaders
  beforeAll(async () => {
    readers = await preparePages(site)
  })
  const pathOf = ({ path }: PageEntry) => (typeof path === 'string' ? path : path(readers.subjects))

  async function settled(page: Page): Promise<void> {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForFunction(() => !/Wird geladen/.test(document.querySelector('main')?.innerText ?? ''))
    // During a navigation, the title arrives after the page.
    await page.waitForFunction(() => document.title !== '')
  }

  test.each(['nobody', 'user', 'newcomer', 'admin'] as const)(
    'as %s: axe in light and dark, no cut text at 320 pixels, no broken words in labels, and nothing beyond the window at 200% zoom',
    { timeout: 300_000 },
    async (as) => {
      const entries = PAGES.filter((entry) => entry.as === as && !entry.needsMail)
      const found: [string, ...string[]][] = []
      let page: Page | undefined
      for (const entry of entries) {
        if (entry.errors) site.expectErrors(entry.errors)
        const path = pathOf(entry)
        // Pages that the app does not navigate to are loaded as documents.
        if (page && !entry.isApart && as !== 'nobody') await goTo(page, path)
        else if (page) await page.goto(site.url + path)
        else page = await site.open(readers.users[as], { path, locale: 'de-AT', wait: settled })
        await settled(page)
        expect(await page.locator('html').getAttribute('lang')).toBe('de')
        const faults = [...(await translationFaults(page)), ...(await zoomFaults(page))]
        if (faults.length > 0) found.push([path, ...faults])
      }
      expect(found).toEqual([])
    },
  )
})
