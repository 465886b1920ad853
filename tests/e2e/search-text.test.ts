// The search field's hook in Chromium. The test decides when a URL is rendered, because Next renders late on a busy
// machine.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../support/browser/bundle.ts'
import { chromiumFor } from '../support/browser/chromium.ts'
import { until } from '../support/until.ts'

const PAGE = `
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useSearchText } from './src/ui/files/list/use-search-text.ts'

window.asked = []
function App() {
  const [query, setQuery] = useState('')
  window.render = setQuery
  const { text, setText } = useSearchText(query, (view) => window.asked.push(view.query))
  return h('input', { value: text, onChange: (event) => setText(event.target.value) })
}
createRoot(document.querySelector('div')).render(h(App))
`

declare global {
  interface Window {
    asked: string[]
    render(query: string): void
  }
}

const browser = await chromiumFor('the search field')

describe.skipIf(!browser)('the search field', () => {
  let page: Page
  beforeAll(async () => {
    page = await browser!.newPage()
    await page.setContent('<div></div>')
    await page.addScriptTag({ type: 'module', content: await bundle(PAGE) })
  })
  afterAll(() => page?.close())

  const asked = () => page.evaluate(() => window.asked)
  /** Renders a query and waits until its effects are drawn. */
  const render = (query: string) =>
    page.evaluate(async (value) => {
      window.render(value)
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
    }, query)

  test('keeps what was typed while an older search is rendered, and follows back navigation', async () => {
    const field = page.getByRole('textbox')
    await field.fill('cat')
    await until('it is searched', async () => (await asked()).length === 1)
    await field.fill('cats')
    await until('it is searched again', async () => (await asked()).length === 2)
    expect(await asked()).toEqual(['cat', 'cats'])
    await render('cat')
    expect(await field.inputValue()).toBe('cats')
    await render('cats')
    expect(await field.inputValue()).toBe('cats')
    await render('')
    expect(await field.inputValue()).toBe('')
    await render('dog')
    expect(await field.inputValue()).toBe('dog')
  })
})
