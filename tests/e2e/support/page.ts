// What a user does with the page and sees on it.

import type { CDPSession, Locator, Page } from 'playwright-core'

export const queue = (page: Page): Locator => page.getByRole('region', { name: 'Uploads', exact: true })
export const queueRow = (page: Page, name: string): Locator =>
  queue(page).getByRole('listitem').filter({ hasText: name })
export const fileRow = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem').filter({ hasText: name })
export const unfinished = (page: Page): Locator => page.getByRole('region', { name: 'Unfinished uploads' })

/** Clicks "Choose files" and answers the file picker. */
export async function choose(page: Page, ...paths: string[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^(Choose files|Dateien auswählen)$/ }).click()
  await (await chooser).setFiles(paths)
}

/** Drops files onto the page, as if dragged from the desktop. */
export async function drop(page: Page, ...paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
  await session.detach()
}

/** Deletes a file with its row's menu; `now`: without waiting for the time in which it could be undone. */
export async function deleteFile(page: Page, name: string, { now = false } = {}): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await fileRow(page, name).waitFor({ state: 'detached' })
  if (now) await page.getByRole('button', { name: 'Delete now' }).click()
}

/** Only the CDP session that set a limit can lift it. */
const limiters = new WeakMap<Page, CDPSession>()

async function limiterOf(page: Page): Promise<CDPSession> {
  const session = limiters.get(page) ?? (await page.context().newCDPSession(page))
  limiters.set(page, session)
  await session.send('Network.enable')
  return session
}

/** Limits the page's upload speed, in bytes per second; 0: unlimited. */
export async function throttle(page: Page, uploadThroughput: number): Promise<void> {
  const session = await limiterOf(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: uploadThroughput === 0 ? -1 : uploadThroughput,
  })
}

/** Cuts the page off the network; `throttle` connects it again. */
export async function cutNetwork(page: Page): Promise<void> {
  const session = await limiterOf(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: true,
    latency: 0,
    downloadThroughput: 0,
    uploadThroughput: 0,
  })
}

/** Lifts the limit, if there is one. */
export async function unlimitNetwork(page: Page): Promise<void> {
  if (limiters.has(page)) await throttle(page, 0)
}

/** Waits until the upload is in the given state. */
export async function inState(page: Page, name: string, state: string): Promise<void> {
  await queueRow(page, name)
    .and(page.locator(`[data-state="${state}"]`))
    .waitFor()
}

/** Downloads the file through its link, signed in as the page's user. */
export async function download(page: Page, name: string): Promise<Buffer> {
  const href = await fileRow(page, name).getByRole('link', { name, exact: true }).getAttribute('href')
  const response = await page.request.get(new URL(href!, page.url()).href)
  if (!response.ok()) throw new Error(`${href} answered ${response.status()}`)
  return response.body()
}
