// Several files downloaded as one ZIP archive, which the page creates.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { readZip } from '../support/read-zip.ts'
import { THUMBNAIL } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { MB, pdf } from './support/files.ts'
import { describeSite, type Site } from './support/site.ts'

async function upload(site: Site, user: TestUser, filename: string, bytes: Buffer): Promise<string> {
  const input = { filename, mimeType: 'application/pdf', size: bytes.length }
  const { uploadUrl, headers, fileId } = await site.server.ok(user, 'upload.requestUploadUrl', input)
  await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) })
  await site.server.ok(user, 'upload.confirmUpload', { fileId })
  await site.server.ok(user, 'files.setThumbnail', { fileId, data: THUMBNAIL.toString('base64') })
  return fileId
}

async function startArchive(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Download selected files' }).click()
}

describeSite('an archive of files', (site) => {
  test('contains each file once, byte for byte, even if names are equal, differ only in case, or are not ASCII', async () => {
    const user = await site.user()
    const sizes = [10, 4_000, 70_000, 3 * MB, 5_000, 6_000]
    const names = ['Größe 📎.pdf', 'plan.pdf', 'plan.pdf', 'PLAN.pdf', '計画.pdf', '\u202Efdp.plan.pdf']
    const uploaded: Buffer[] = []
    for (const [i, name] of names.entries()) {
      uploaded.push(pdf(sizes[i]!))
      await upload(site, user, name, uploaded[i]!)
    }
    const page = await site.open(user)
    const download = page.waitForEvent('download')
    await startArchive(page)
    const content = readZip(readFileSync(await (await download).path()))
    const inArchive = content.map(({ name }) => name)
    expect(new Set(inArchive.map((name) => name.toLowerCase())).size).toBe(names.length)
    expect(inArchive.toSorted()).toEqual(
      ['Größe 📎.pdf', 'PLAN.pdf', 'fdp.plan.pdf', 'plan (2).pdf', 'plan (3).pdf', '計画.pdf'].toSorted(),
    )
    const sorted = (all: Buffer[]) => all.toSorted((a, b) => a.length - b.length)
    expect(sorted(content.map(({ bytes }) => bytes))).toEqual(sorted(uploaded))
  })

  test('is not saved after Cancel, and the next one is complete', async () => {
    const user = await site.user()
    for (const name of ['one.pdf', 'two.pdf', 'three.pdf']) await upload(site, user, name, pdf(1_000))
    const page = await site.open(user)
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    // Hold one file back until the download is canceled.
    const requested = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route(
      '**/files/*',
      async (route) => {
        requested.resolve()
        await held.promise
        await route.abort().catch(() => {})
      },
      { times: 1 },
    )
    await startArchive(page)
    await page
      .getByText(/^Preparing the download: \d of 3 files$/)
      .first()
      .waitFor()
    await requested.promise
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Download selected files' }).waitFor()
    held.resolve()
    expect(saved).toEqual([])
    await page.getByRole('button', { name: 'Download selected files' }).click()
    await until('the next one is saved', async () => saved.length === 1)
  })

  test('fails if a file cannot be fetched: the page says why, and nothing is saved', async () => {
    site.expectErrors(/status of 404/)
    const user = await site.user()
    for (const name of ['one.pdf', 'two.pdf']) await upload(site, user, name, pdf(1_000))
    const gone = await upload(site, user, 'gone.pdf', pdf(1_000))
    const page = await site.open(user)
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    await site.server.ok(user, 'files.delete', { fileId: gone })
    await startArchive(page)
    await page.getByText('The download failed. This no longer exists.').first().waitFor()
    expect(saved).toEqual([])
  })
})
