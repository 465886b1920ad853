// What a user does in an app of their own with `npx pigeonhole dev`: uploads a film with a reload in the middle, and sends
// the push of the first screen.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { childEnv } from '../../support/process/child-env.ts'
import { type Dev, PATH } from '../../support/process/packed-server.ts'
import { until } from '../../support/until.ts'
import { MB } from './files.ts'

/** Size of `film.mp4` in bytes. */
export const FILM_SIZE = 50 * MB
const PART = 5 * MB
/** Parts that are stored before the reload. */
const STORED = 4

/** Opens a page that accepts every dialog. */
export async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  page.on('dialog', (dialog) => dialog.accept().catch(() => {}))
  await page.goto(url)
  return page
}

/** Uploads `film.mp4`, reloads once some parts are stored, and continues without sending them again. */
export async function uploadWithReload(page: Page, film: string): Promise<void> {
  const sent: number[] = []
  const partOf = (url: string) => Number(new URL(url).searchParams.get('partNumber') ?? 0)
  page.on('requestfinished', async (request) => {
    if (request.method() === 'PUT' && (await request.response())?.ok()) sent.push(partOf(request.url()))
  })
  // Later parts wait until the reload.
  const isLater = (url: URL) => partOf(url.href) > STORED
  await page.route(isLater, () => {})
  const choose = () => page.getByLabel('Files').setInputFiles(film)
  await choose()
  await until('the first parts', () => sent.length === STORED)
  await page.reload()
  await page.unroute(isLater)
  await page.getByText('film.mp4: choose it again to continue').waitFor()
  await choose()
  await page.getByText('film.mp4: done').waitFor()
  await until('the other parts', () => sent.length >= FILM_SIZE / PART)
  expect(sent.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(await page.getByText('choose it again').count()).toBe(0)
}

/** Sends the push of the first screen, and sees it on a virtual phone. */
export async function sendAndSee(service: Dev, context: BrowserContext): Promise<void> {
  const phones = await openPage(context, service.phones)
  const curl = service.output.split('\n').find((line) => line.trim().startsWith('curl '))!
  await promisify(execFile)('bash', ['-c', curl], { env: childEnv({ PATH }) })
  await phones.getByText('Sent with curl').first().waitFor()
}
