// Requirements of every page in every state.

import type { CDPSession, Locator, Page } from 'playwright-core'
import { violationsInBothSchemes } from './axe.ts'
import type { PageEntry } from './page-table.ts'

/** The narrowest phone, from WCAG 2.2, 1.4.10. */
const PHONE = { width: 320, height: 640 }
/** Additional stops within fields, such as those of a date. */
const MORE_STOPS = 20
const DESK = { width: 1280, height: 800 }
const DIALOG = '[role=dialog], [role=alertdialog]'

/**
 * Returns the faults of a page in its current state: findings of axe-core in light and dark; content wider than 320
 * pixels; motion despite reduced motion; controls that Tab does not reach. Also reports a focus that is invisible, even
 * in forced colors. Leaves the page with all of these settings, and `desk` wide.
 */
export async function pageFaults(page: Page, desk = DESK): Promise<string[]> {
  await Promise.all([page.emulateMedia({ reducedMotion: 'reduce', forcedColors: null }), resize(page, PHONE)])
  const faults = await violationsInBothSchemes(page)
  faults.push(...(await widthFaults(page)), ...(await selectFaults(page)), ...(await motionFaults(page)))
  faults.push(...(await headingFaults(page)))
  await resize(page, desk)
  faults.push(...(await selectFaults(page)), ...(await keyboardFaults(page)))
  await page.emulateMedia({ forcedColors: 'active' })
  faults.push(...(await forcedColorFaults(page)))
  return faults
}

/** Returns the faults of a page and of its states and dialogs. */
export async function faultsOfAll(page: Page, entry: PageEntry): Promise<[string, string[]][]> {
  const { states = {}, dialogs = {} } = entry
  const found: Record<string, string[]> = { 'at first': await pageFaults(page) }
  for (const [name, bringAbout] of Object.entries(states)) {
    await bringAbout(page)
    found[name] = await pageFaults(page)
  }
  for (const [name, opener] of Object.entries(dialogs))
    found[`the dialog ${name}`] = await dialogFaults(page, opener(page), opener.menuItem)
  return Object.entries(found).filter(([, faults]) => faults.length > 0)
}

async function resize(page: Page, size: typeof DESK): Promise<void> {
  const { width, height } = page.viewportSize() ?? {}
  if (width !== size.width || height !== size.height) await page.setViewportSize(size)
}

/**
 * Returns the faults of the dialog that this button opens with Enter: those of a page, all at 320 pixels, because
 * dialogs look the same at any width. Also reports a focus that leaves the dialog, or does not return to the button
 * after Escape.
 */
async function dialogFaults(page: Page, opener: Locator, menuItem?: string): Promise<string[]> {
  await resize(page, PHONE)
  const isWideOnly = !(await opener.isVisible())
  if (isWideOnly) await resize(page, DESK)
  await opener.press('Enter')
  if (menuItem !== undefined) await page.getByRole('menuitem', { name: menuItem }).press('Enter')
  await page.locator(DIALOG).waitFor()
  const faults = await pageFaults(page, PHONE)
  if (isWideOnly) await resize(page, DESK)
  await page.keyboard.press('Escape')
  await page.locator(DIALOG).waitFor({ state: 'detached' })
  const back = page.waitForFunction((one) => one === document.activeElement, await opener.elementHandle())
  const isBack = await back.then(
    () => true,
    () => false,
  )
  return isBack ? faults : [...faults, 'dialog: the focus does not return to the button']
}

async function widthFaults(page: Page): Promise<string[]> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  return width > PHONE.width ? [`width: ${width} pixels on a phone of ${PHONE.width}`] : []
}

/** Returns visible headings of a phone's page that are not as large as those of all other pages. */
async function headingFaults(page: Page): Promise<string[]> {
  const sizes = await page.locator('h1:visible').evaluateAll((all) =>
    all.flatMap((one) => {
      const { fontSize } = getComputedStyle(one)
      const isSeen = one.getBoundingClientRect().width > 1
      return isSeen && fontSize !== '20px' ? [`${one.textContent}: ${fontSize}`] : []
    }),
  )
  return sizes.map((one) => `heading: ${one}`)
}

/** Returns native selects that are higher or lower than a field or button beside them. */
export function selectFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const visible = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility())
    const heights = visible('select').flatMap((one) => {
      const select = one as HTMLSelectElement
      const box = select.getBoundingClientRect()
      const group = select.closest('form, search, fieldset, section, [popover]') ?? document.body
      // Only controls with a border have a height that users see.
      const beside = visible('input:not([type=checkbox], [type=radio], [type=file]), select, button').filter(
        (one) => {
          const { top, bottom, width } = one.getBoundingClientRect()
          const isLevel = Math.abs((top + bottom) / 2 - (box.top + box.bottom) / 2) < 8
          return group.contains(one) && isLevel && width > 0 && getComputedStyle(one).borderTopWidth !== '0px'
        },
      )
      return beside.flatMap((one) => {
        const difference = Math.round(one.getBoundingClientRect().height - box.height)
        const name = one.getAttribute('aria-label') ?? one.textContent.slice(0, 30)
        return difference === 0
          ? []
          : [`select: ${select.value} differs by ${difference} pixels from ${name}`]
      })
    })
    return [...new Set(heights)]
  })
}

/** Returns text that is cut, or reaches beyond a narrow page. Names that users chose (`title`, `dir`) can be cut. */
export function cutTextFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const context = document.createElement('canvas').getContext('2d')!
    for (const select of document.querySelectorAll('select')) {
      if (!select.checkVisibility()) continue
      const style = getComputedStyle(select)
      context.font = style.font
      // A native arrow takes 20 pixels. The pages' own arrow is in the padding.
      const arrow = style.appearance === 'none' ? 0 : 20
      const room =
        select.clientWidth -
        Number.parseFloat(style.paddingLeft) -
        Number.parseFloat(style.paddingRight) -
        arrow
      const text = select.selectedOptions[0]?.text ?? ''
      if (context.measureText(text).width > room + 1) faults.push(`cut: the choice “${text}”`)
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement!
      const text = node.textContent?.trim() ?? ''
      if (text === '' || !parent.checkVisibility({ visibilityProperty: true })) continue
      if (parent.closest('select, textarea, pre, code, script, style, .sr-only, [title], [dir], bdi'))
        continue
      range.selectNodeContents(node)
      const { left, right, width } = range.getBoundingClientRect()
      // Text for screen readers only is in a box of one pixel.
      if (width <= 1 || parent.getBoundingClientRect().width <= 1) continue
      for (let one: Element | null = parent; one; one = one.parentElement) {
        const { overflowX } = getComputedStyle(one)
        if (overflowX === 'auto' || overflowX === 'scroll') break
        const box = one.getBoundingClientRect()
        const isCut =
          (overflowX === 'hidden' || overflowX === 'clip') && (right > box.right + 1 || left < box.left - 1)
        if (isCut || (one === document.body && right > innerWidth + 1)) {
          faults.push(`cut: “${text.slice(0, 60)}”`)
          break
        }
      }
    }
    return faults
  })
}

/** 200% zoom in a window of 1280 by 800 pixels, from WCAG 2.2, 1.4.4. */
const ZOOMED = { width: 640, height: 400 }

/** Returns what makes a page unusable at 200% zoom: scrolling sideways, or fixed elements that cover half of the window. */
export async function zoomFaults(page: Page): Promise<string[]> {
  await resize(page, ZOOMED)
  return page.evaluate(({ width, height }) => {
    const faults: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > width) faults.push(`zoom: ${scrollWidth} pixels in a window of ${width}`)
    scrollTo(0, document.documentElement.scrollHeight)
    let covered = 0
    for (const one of document.querySelectorAll('body *')) {
      const { position } = getComputedStyle(one)
      if ((position !== 'fixed' && position !== 'sticky') || !one.checkVisibility()) continue
      const { top, bottom, width: wide } = one.getBoundingClientRect()
      // Elements beside the content leave room for it.
      if (wide > width / 2) covered += Math.max(0, Math.min(bottom, height) - Math.max(top, 0))
    }
    if (covered > height / 2) faults.push(`zoom: fixed elements cover ${covered} of ${height} pixels`)
    scrollTo(0, 0)
    return faults
  }, ZOOMED)
}

/** Returns words of labels that are broken without a hyphen, and labels of code squeezed into three lines or more. */
function brokenWordFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const range = document.createRange()
    const labels = [...document.querySelectorAll('button, summary, label, legend, dt, h1, h2, h3, nav a')]
    for (const one of labels.filter((one) => one.checkVisibility({ visibilityProperty: true }))) {
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement!.closest('[title]:not(button), [dir], bdi, code, time, .sr-only')) continue
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s-]+-?/g)) {
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
          if (lines.size > 1) faults.push(`broken: “${word}” at ${innerWidth} pixels`)
        }
      }
    }
    for (const label of document.querySelectorAll('figcaption > span')) {
      range.selectNodeContents(label)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 2) faults.push(`narrow: “${label.textContent}” at ${innerWidth} pixels`)
    }
    return faults
  })
}

/**
 * Faults that only another language can have: cut text on the narrowest phone, broken words there and on wide screens,
 * and those of axe-core.
 */
export async function translationFaults(page: Page): Promise<string[]> {
  await resize(page, DESK)
  const found = await brokenWordFaults(page)
  await resize(page, PHONE)
  found.push(...(await brokenWordFaults(page)))
  found.push(...(await violationsInBothSchemes(page)), ...(await widthFaults(page)))
  return [...found, ...(await cutTextFaults(page)), ...(await selectFaults(page))]
}

/** Returns transitions and animations longer than 0.01 s, and smooth scrolling. */
function motionFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const seconds = (list: string) => Math.max(...list.split(',').map((one) => Number.parseFloat(one)))
    const moving = [...document.querySelectorAll('*')].filter((element) =>
      [null, '::before', '::after'].some((pseudo) => {
        const style = getComputedStyle(element, pseudo)
        const lasts = Math.max(
          seconds(style.transitionDuration),
          style.animationName === 'none' ? 0 : seconds(style.animationDuration),
        )
        return lasts > 0.01 || style.scrollBehavior === 'smooth'
      }),
    )
    const running = document.getAnimations().length > 0 ? ['motion: an animation runs'] : []
    return [...moving.map((one) => `motion: ${one.outerHTML.slice(0, 120)}`), ...running]
  })
}

type Stop = { name: string; index: number; fault: string | null }

/** Checks that Tab visits all controls in the order of the page, and that the focus is visible. */
async function keyboardFaults(page: Page): Promise<string[]> {
  const expected = await markTabStops(page)
  if (expected.length === 0) return []
  await page.locator('[data-stop="0"]').focus()
  // A focus set by a script counts as the keyboard's only after a key press.
  await page.keyboard.press('Shift')
  await checkStops(page)
  const session = await page.context().newCDPSession(page)
  // The last one is checked by the Tab that leaves it.
  await pressTab(session, expected.length)
  let stops = await checkedStops(page)
  // Date fields have several stops each.
  while (stops.at(-1)?.index !== expected.length - 1 && stops.length < expected.length + MORE_STOPS) {
    await pressTab(session, 1)
    stops = await checkedStops(page)
  }
  await session.detach()
  // Additional stops within a field have the browser's own ring.
  const faults = stops.flatMap(({ index, fault }, at) =>
    index === stops[at - 1]?.index ? [] : (fault ?? []),
  )
  const reached = new Set(stops.map(({ index }) => index))
  for (const [index, name] of expected.entries())
    if (!reached.has(index)) faults.push(`keyboard: Tab does not reach ${name}`)
  for (const [at, { index, name }] of stops.entries())
    if (index < (stops[at - 1]?.index ?? 0)) faults.push(`keyboard: ${name} comes out of order`)
  // From the last one, the focus leaves the page; in a dialog, it returns to the start.
  const { inDialog, inside } = await page.evaluate((selector) => {
    const dialog = [...document.querySelectorAll(selector)].at(-1)
    return { inDialog: dialog !== undefined, inside: dialog?.contains(document.activeElement) }
  }, DIALOG)
  if (inDialog && !inside) faults.push('keyboard: Tab leaves the dialog')
  return faults
}

/** Presses Tab this many times without waiting in between, because waiting takes three times the CPU. */
async function pressTab(session: CDPSession, times: number): Promise<void> {
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
  const events = Array.from({ length: times }, () => ['rawKeyDown', 'keyUp'] as const).flat()
  await Promise.all(events.map((type) => session.send('Input.dispatchKeyEvent', { type, ...key })))
}

/** Numbers the elements that Tab should reach (`data-stop`) and returns their names. In a dialog, includes only its content. */
function markTabStops(page: Page): Promise<string[]> {
  return page.evaluate((selector) => {
    const root = [...document.querySelectorAll(selector)].at(-1) ?? document.body
    for (const one of document.querySelectorAll('[data-stop]')) one.removeAttribute('data-stop')
    const stops = [
      ...root.querySelectorAll<HTMLInputElement>(
        'a[href], button, input, select, textarea, summary, iframe, video[controls], [tabindex], [role=button], [role=menuitem], [onclick]',
      ),
    ].filter((one) => {
      if (one.tabIndex < 0 || one.disabled || one.closest('[inert], [data-radix-focus-guard]')) return false
      // Radix marks everything outside its dialog.
      if (one.hasAttribute('data-radix-focus-guard') || !one.checkVisibility({ visibilityProperty: true }))
        return false
      if (one.type !== 'radio' || one.checked) return true
      // In a group, Tab reaches the chosen button, or the first one if none is chosen.
      const group = [...root.querySelectorAll<HTMLInputElement>(`input[type=radio][name="${one.name}"]`)]
      return !group.some(({ checked }) => checked) && group[0] === one
    })
    for (const [index, one] of stops.entries()) one.dataset.stop = String(index)
    return stops.map((one) => one.outerHTML.slice(0, 120))
  }, DIALOG)
}

type Checked = Window & { stops: Stop[] }
const checkedStops = (page: Page): Promise<Stop[]> =>
  page.evaluate(() => (window as unknown as Checked).stops)

/** Makes each Tab first check whether the focused element is visible and not covered. */
function checkStops(page: Page): Promise<void> {
  return page.evaluate(() => {
    const check = (one: HTMLElement): Stop => {
      const name = one.outerHTML.slice(0, 120)
      const index = Number(one.dataset.stop ?? Number.NaN)
      // Check a ring that fades in by its final state.
      for (const animation of one.getAnimations()) animation.finish()
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one)
      const ring = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      const box = one.getBoundingClientRect()
      const x = Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1)
      const y = Math.min(Math.max(box.y + Math.min(box.height / 2, 20), 0), innerHeight - 1)
      const above = document.elementFromPoint(x, y)
      const covered =
        above && !one.contains(above) && !above.contains(one) && !above.closest('label, :popover-open')
      const onScreen = box.bottom > 0 && box.top < innerHeight && box.width > 0
      const fault = Number.isNaN(index)
        ? // In Chromium, Tab also reaches scrollable elements without controls.
          one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth
          ? null
          : `keyboard: Tab goes to ${name}`
        : !ring || outlineColor === 'rgba(0, 0, 0, 0)'
          ? `keyboard: the focus is not seen on ${name}`
          : !onScreen
            ? `keyboard: the focus is off the screen at ${name}`
            : covered
              ? `keyboard: ${above.outerHTML.slice(0, 80)} covers the focus at ${name}`
              : null
      return { name, index, fault }
    }
    const checked = window as unknown as Checked & { check?: (event: KeyboardEvent) => void }
    if (checked.check) removeEventListener('keydown', checked.check, true)
    checked.stops = []
    checked.check = ({ key }) =>
      key === 'Tab' && checked.stops.push(check(document.activeElement as HTMLElement))
    addEventListener('keydown', checked.check, true)
  })
}

/**
 * Forced colors remove backgrounds. The focus ring must differ from the page's color, and the current page of a
 * navigation must not look like the others. (Browsers draw checkboxes and radio buttons themselves.)
 */
function forcedColorFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const canvas = getComputedStyle(document.body).backgroundColor
    for (const one of document.querySelectorAll<HTMLElement>('[data-stop]')) {
      one.focus({ preventScroll: true })
      if (document.activeElement !== one) continue
      const { outlineStyle, outlineColor } = getComputedStyle(one)
      if (outlineStyle === 'none' || outlineColor === canvas)
        faults.push(`forced colors: the focus is not seen on ${one.outerHTML.slice(0, 120)}`)
    }
    const look = (one: Element) => {
      const style = getComputedStyle(one)
      const edges = ['Top', 'Right', 'Bottom', 'Left'].map((side) => {
        const width = style.getPropertyValue(`border-${side.toLowerCase()}-width`)
        return width === '0px' ? '' : style.getPropertyValue(`border-${side.toLowerCase()}-color`)
      })
      return JSON.stringify([edges, style.outlineStyle, style.textDecorationLine])
    }
    ;(document.activeElement as HTMLElement | null)?.blur()
    for (const current of document.querySelectorAll('nav [aria-current]')) {
      const other = current.closest('nav')!.querySelector('a:not([aria-current])')
      if (current.checkVisibility() && other && look(current) === look(other))
        faults.push(`forced colors: the current page looks like the others in ${current.textContent}`)
    }
    return faults
  })
}
