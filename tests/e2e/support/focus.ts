// Where the keyboard focus is, and a keyboard that moves it.

import type { Locator, Page } from 'playwright-core'
import { until } from '../../support/until.ts'

/** Waits until this element has the focus. */
export async function waitForFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor()
}

/** Waits until any element has the focus: a removed element must pass it on. */
export async function waitForAnyFocus(page: Page): Promise<void> {
  await page.waitForFunction(() => document.activeElement !== document.body)
}

/** The name of the focused element: its label, or its text. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const one = document.activeElement as HTMLInputElement | null
    const label = one?.getAttribute('aria-label') ?? one?.labels?.[0]?.querySelector('span')?.textContent
    return (label ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '').trim()
  })

/** A keyboard, for tests without a mouse. */
export function keyboard(page: Page) {
  const matches = (words: string, name: string | RegExp) =>
    typeof name === 'string' ? words === name : name.test(words)
  return {
    async press(...keys: string[]): Promise<void> {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text: string) => page.keyboard.insertText(text),
    /** Waits until the element with this name has the focus. */
    focusOn: (name: string | RegExp) =>
      until(`the focus is on ${name}`, async () => matches(await focusedName(page), name)),
    /** Presses Tab until the element with this name has the focus. @throws Error after 80 stops */
    async tabTo(name: string | RegExp): Promise<void> {
      const seen: string[] = []
      for (let i = 0; i < 80; i++) {
        const words = await focusedName(page)
        if (matches(words, name)) return
        seen.push(words)
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${name}, but ${seen.join(' | ')}`)
    },
  }
}
