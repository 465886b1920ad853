// What users do and see on a page.

import { basename } from 'node:path'
import type { CDPSession, FileChooser, Locator, Page, Request } from 'playwright-core'
import { until } from '../../support/until.ts'

export const queue = (page: Page): Locator => page.getByRole('region', { name: 'Uploads', exact: true })
export const queueRow = (page: Page, name: string): Locator =>
  queue(page).getByRole('listitem').filter({ hasText: name })
export const fileRow = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem').filter({ hasText: name })
/** Locates the row with this text in the list with this name. */
export const listRow = (page: Page, list: string, text: string | RegExp): Locator =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })
/** Locates a button of the confirmation dialog. */
export const confirmation = (page: Page, name: string): Locator =>
  page.getByRole('alertdialog').getByRole('button', { name, exact: true })
export const unfinished = (page: Page): Locator => page.getByRole('region', { name: 'Unfinished uploads' })

/** Shows the fields behind the button "Filters". */
export async function openFilters(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Filters/ })
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.press('Enter')
  await button.and(page.locator('[aria-expanded=true]')).waitFor()
}

/** Navigates without loading the document again, like a link of the app. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const { next } = window as unknown as { next: { router: { push(path: string): void } } }
    next.router.push(to)
  }, path)
  await page.waitForURL((url) => url.pathname === path)
}

/**
 * Waits until the page has requested nothing for a second. Playwright's `networkidle` is reached once per document,
 * possibly before React has requested what the page loads late.
 */
export async function quiet(page: Page): Promise<void> {
  const running = new Set<Request>()
  let last = Date.now()
  const start = (request: Request) => {
    running.add(request)
    last = Date.now()
  }
  const end = (request: Request) => {
    running.delete(request)
    last = Date.now()
  }
  page.on('request', start).on('requestfinished', end).on('requestfailed', end)
  await until('the network is quiet', () => running.size === 0 && Date.now() - last > 1000)
  page.off('request', start).off('requestfinished', end).off('requestfailed', end)
}

/**
 * Waits until React handles events of the element. Parts that load separately (`lazy`) are in the HTML, and become ready
 * later than the page.
 */
export async function hydrated(element: Locator): Promise<Locator> {
  await until('the element is hydrated', () =>
    element.evaluate((one) => Object.keys(one).some((key) => key.startsWith('__reactProps'))),
  )
  return element
}

/** Presses Escape until the dialog is gone. A dialog handles Escape only some milliseconds after it appears. */
export async function closeWithEscape(dialog: Locator): Promise<void> {
  await until('Escape closes the dialog', async () => {
    await dialog.page().keyboard.press('Escape')
    return (await dialog.count()) === 0
  })
}

/** Clicks "Choose files", with files in the menu of *Upload*, and selects files in the picker. */
export async function choose(page: Page, ...paths: string[]): Promise<void> {
  const button = page.getByRole('button', { name: /^(Choose files|Dateien auswählen)$/ })
  const upload = page.getByRole('button', { name: /^(Upload|Hochladen)$/ })
  const inMenu = page.getByRole('menuitem', { name: /^(Choose files|Dateien auswählen)/ })
  let chooser: FileChooser | undefined
  page.once('filechooser', (one) => (chooser = one))
  // The first file replaces the button with the menu, possibly right now.
  await button.or(upload).click()
  const asked = await until('the browser asks for files', async () => {
    if (!chooser && (await inMenu.isVisible())) await inMenu.click()
    return chooser
  })
  await asked.setFiles(paths)
}

/** Drags files from the desktop over the page, until it offers to upload them. Returns a function that drops them. */
export const dragOver = (page: Page, ...paths: string[]): Promise<() => Promise<void>> =>
  dragUntil(page, 'Drop to upload', ...paths)

/** Drags files from the desktop over the page, until it is covered with this text. Returns a function that drops them. */
export async function dragUntil(page: Page, text: string, ...paths: string[]): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
  await send('dragEnter')
  // Browsers repeat dragover while the pointer is over the page. Chromium loses a drop if the page has not accepted one.
  await until('the page is covered with the text', async () => {
    await send('dragOver')
    return page.locator('[data-drop]').getByText(text).isVisible()
  })
  return async () => {
    await send('drop')
    await session.detach()
  }
}

/**
 * Drops files onto the page, as if dragged from the desktop, until one of them is among the uploads. If the page gets no
 * drop event, Chromium has lost the drop, and the files are dragged again. A test in tests/e2e/shell.test.ts proves that
 * changes of the page are no cause. If the page gets the event, but no upload appears, the app has lost it.
 */
export async function drop(page: Page, ...paths: string[]): Promise<void> {
  await until('the page gets a drop event', async () => {
    const release = await dragOver(page, ...paths)
    const drops = await page.evaluateHandle(() => {
      const counter = { count: 0 }
      addEventListener('drop', () => counter.count++, { capture: true, once: true })
      return counter
    })
    await release()
    return drops.evaluate(({ count }) => count > 0)
  })
  const names = paths.map((path) => basename(path))
  const [first, ...others] = names.map((name) => queueRow(page, name))
  try {
    await others
      .reduce((all, row) => all.or(row), first!)
      .first()
      .waitFor({ state: 'attached' })
  } catch (cause) {
    const text = `The page got the drop event, but no upload of ${names} appeared: a defect of the app.`
    throw new Error(text, { cause })
  }
}

/** Chooses an action from the menu of an administrator's page. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.getByRole('menuitem', { name }).press('Enter')
}

/** Deletes a file with its row's menu. `now` skips the undo period. */
export async function deleteFile(page: Page, name: string, { now = false } = {}): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Move to trash' }).press('Enter')
  await fileRow(page, name).waitFor({ state: 'detached' })
  if (now)
    await page.getByRole('region', { name: 'Deleted files' }).getByRole('button', { name: 'Close' }).click()
}

/** Waits until the picture is drawn, `width` pixels wide if given. */
export async function isDrawn(image: Locator, width?: number): Promise<void> {
  const handle = await image.elementHandle()
  await image.page().waitForFunction(
    ([one, wanted]) => {
      const { naturalWidth } = one as HTMLImageElement
      return wanted === undefined ? naturalWidth > 0 : naturalWidth === wanted
    },
    [handle, width] as const,
  )
}

/** Returns the names of visible elements that are too small for touch: below 44 pixels in a direction. */
export function smallTargets(elements: Locator): Promise<(string | null)[]> {
  return elements.evaluateAll((all) =>
    all
      .filter((one) => one.checkVisibility())
      .map((one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()] as const)
      .filter(([, { height, width }]) => height < 44 || width < 44)
      .map(([name]) => name),
  )
}

/** Only the CDP session that set a limit can remove it. */
const limiters = new WeakMap<Page, CDPSession>()

async function limiterOf(page: Page): Promise<CDPSession> {
  const session = limiters.get(page) ?? (await page.context().newCDPSession(page))
  limiters.set(page, session)
  await session.send('Network.enable')
  return session
}

/** Limits the page's upload speed, in bytes per second. 0 means unlimited. */
export async function throttle(page: Page, uploadThroughput: number): Promise<void> {
  const session = await limiterOf(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: uploadThroughput === 0 ? -1 : uploadThroughput,
  })
}

/** Disconnects the page from the network. `throttle` connects it again. */
export async function cutNetwork(page: Page): Promise<void> {
  const session = await limiterOf(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: true,
    latency: 0,
    downloadThroughput: 0,
    uploadThroughput: 0,
  })
}

/** Removes the limit, if any. */
export async function unlimitNetwork(page: Page): Promise<void> {
  if (limiters.has(page)) await throttle(page, 0)
}

/** Waits until the upload is in the given state. */
export async function inState(page: Page, name: string, state: string): Promise<void> {
  await queueRow(page, name)
    .and(page.locator(`[data-state="${state}"]`))
    .waitFor()
}

/** Waits until bytes of the upload are in flight: a pause lets them finish. */
export async function inFlight(page: Page, name: string): Promise<void> {
  const bar = queueRow(page, name).getByRole('progressbar')
  await until(
    `bytes of ${name} are in flight`,
    async () => Number(await bar.getAttribute('aria-valuenow')) > 0,
  )
}

/** Downloads the file through its link, signed in as the page's user. */
export async function download(page: Page, name: string): Promise<Buffer> {
  const href = await fileRow(page, name).getByRole('link', { name, exact: true }).getAttribute('href')
  const response = await page.request.get(new URL(href!, page.url()).href)
  if (!response.ok()) throw new Error(`${href} answered ${response.status()}`)
  return response.body()
}
