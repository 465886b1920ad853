// Accessibility violations that axe-core finds.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The axe-core rules whose result depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Returns the violations that axe-core finds, as "rule: element". `rules` limits the rules. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async (runOnly) => {
    type Axe = {
      run(options: {
        runOnly?: string[]
        rules?: Record<string, { enabled: boolean }>
        resultTypes: string[]
        preload: { assets: string[] }
      }): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>
    }
    const { axe } = window as unknown as { axe: Axe }
    // Finishes the color transitions between the schemes. One can start another in the elements that inherit.
    do {
      for (const animation of document.getAnimations()) animation.finish()
      await new Promise(requestAnimationFrame)
    } while (document.getAnimations().length > 0)
    // Experimental, so off by default: a button's visible label must be part of its name.
    const rules = { 'label-content-name-mismatch': { enabled: true } }
    // Skip reports about elements without violations, and the preload of stylesheets, which only disabled rules need.
    const common = { resultTypes: ['violations'], preload: { assets: ['media'] } }
    const found = await axe.run(runOnly ? { ...common, runOnly } : { ...common, rules })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
    )
  }, rules)
}

/** Returns all violations in the page's color scheme, and those of colors in the other one, which stays active. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found = await violations(page)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const other = isDark ? 'light' : 'dark'
  await page.emulateMedia({ colorScheme: other })
  const further = await violations(page, COLOR_RULES)
  return [...found, ...further.map((violation) => `${other}: ${violation}`)]
}
