// The appearance of pages: language, theme, forced colors, and names that would reverse the text.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { png, scratch } from './support/files.ts'
import { choose, hydrated } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'

const picture = scratch().file('foto.png', png(40, [1, 2, 3], [200, 100, 0]))

describeSite('the appearance', (site) => {
  test('all texts are in the browser’s language', async () => {
    const page = await site.open(null, { path: '/signin', locale: 'de-AT' })
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.content()).not.toContain('Sign in')
  })

  test('a chosen language is kept, and the page keeps its state', async () => {
    const page = await site.open(await site.user(), { locale: 'de-AT' })
    await page.getByText('0 Byte von 500 MB belegt').waitFor()
    await choose(page, picture)
    await page.getByRole('heading', { name: '1 Datei hochgeladen', exact: true }).waitFor()
    await page
      .getByRole('navigation', { name: 'Hauptnavigation' })
      .first()
      .getByRole('link', { name: 'Einstellungen' })
      .click()
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { name: '1 file uploaded', exact: true }).waitFor()
    await until('lang is set', async () => (await page.locator('html').getAttribute('lang')) === 'en')
    await page.reload()
    await ready(page)
    await page.getByRole('heading', { name: 'Settings', exact: true, level: 1 }).waitFor()
  })

  test('times are in the reader’s time zone from the second visit on; the first reserves their space', async () => {
    const user = await site.user()
    const zone = 'America/New_York'
    const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: zone }).format(new Date())
    await site.query('UPDATE sessions SET created_at = $1 WHERE user_id = $2', [
      `${year}-01-15T02:30:00Z`,
      user.id,
    ])
    const page = await site.open(user, { path: '/icon.svg', timezoneId: zone, wait: async () => {} })
    const headers = { 'accept-language': 'en-GB' }
    /** Returns the session's creation time as the server renders it. */
    async function rendered(): Promise<{ text: string; isVisible: boolean }> {
      const html = await (await page.request.get(`${site.url}/settings/security`, { headers })).text()
      const [, attributes = '', text = ''] = /<time ([^>]*-01-15T02:30[^>]*)>([^<]*)/.exec(html) ?? []
      return { text, isVisible: !attributes.includes('invisible') }
    }
    expect((await rendered()).isVisible).toBe(false)
    await page.goto(`${site.url}/settings/security`)
    await ready(page)
    const time = page.locator('time[datetime*="-01-15T02:30"]').first()
    await time.and(page.locator(':visible')).waitFor()
    expect(await time.innerText()).toBe('14 Jan, 21:30')
    await until('the time zone is known', async () => (await rendered()).isVisible)
    expect(await rendered()).toEqual({ text: '14 Jan, 21:30', isVisible: true })
    await page.reload()
    await ready(page)
    expect(await time.innerText()).toBe('14 Jan, 21:30')
  })

  describe('the theme', () => {
    const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    async function chooseTheme(page: Page, name: string): Promise<void> {
      await (await hydrated(page.getByLabel('Appearance'))).selectOption(name)
    }

    test('follows the system', async () => {
      const page = await site.open(await site.user(), { colorScheme: 'light' })
      const light = await ground(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await until('it is dark', async () => (await ground(page)) !== light)
    })

    test('keeps a chosen one', async () => {
      const page = await site.open(await site.user(), { path: '/settings', colorScheme: 'light' })
      const light = await ground(page)
      await chooseTheme(page, 'Dark')
      const dark = await ground(page)
      expect(dark).not.toBe(light)
      await page.reload()
      await ready(page)
      expect(await ground(page)).toBe(dark)
      expect(await page.locator('meta[name="theme-color"]').getAttribute('content')).toBe('#131413')
    })

    test('can follow the system again', async () => {
      const page = await site.open(await site.user(), { path: '/settings', colorScheme: 'light' })
      const light = await ground(page)
      await chooseTheme(page, 'Dark')
      expect(await page.getByLabel('Appearance').inputValue()).toBe('dark')
      await page.getByLabel('Appearance').selectOption('System theme')
      expect(await ground(page)).toBe(light)
    })
  })

  test('a right-to-left override in a name affects only the name', async () => {
    const page = await site.open(await site.user(), {
      path: `/?q=${encodeURIComponent('invoice\u202Egnp.png')}`,
    })
    const sentence = page.getByText('No files match')
    await sentence.waitFor()
    const [nameEnds, sentenceBegins] = await sentence.locator('bdi').evaluate((bdi) => {
      const range = document.createRange()
      range.setStart(bdi.nextSibling!, 0)
      range.setEnd(bdi.nextSibling!, 1)
      return [bdi.getBoundingClientRect().right, range.getBoundingClientRect().left]
    })
    expect(sentenceBegins).toBeGreaterThanOrEqual(nameEnds! - 1)
  })

  test('with forced colors, buttons and meters have a border', async () => {
    const page = await site.open(await site.user(), { forcedColors: 'active' })
    const edge = (one: Element) => getComputedStyle(one).borderBottomWidth
    expect(await page.getByRole('button', { name: 'Choose files' }).evaluate(edge)).toBe('1px')
    expect(await page.getByRole('meter', { name: 'Storage' }).evaluate(edge)).toBe('1px')
  })

  test('with forced colors, the current page is marked', async () => {
    const page = await site.open(await site.user(), { forcedColors: 'active' })
    const places = page.getByRole('navigation', { name: 'Main' }).first().getByRole('link')
    const lines = await places.evaluateAll((all) => all.map((one) => getComputedStyle(one).borderBottomColor))
    expect(lines).toHaveLength(3)
    expect(lines[0]).not.toBe(lines[1])
    expect(lines[1]).toBe(lines[2])
  })
})
