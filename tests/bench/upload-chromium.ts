import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@pigeonhole/client'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../support/browser/chromium.ts'
import { round } from './load.ts'
import { AT_ONCE, besideBare, MIB, type Result, type Run, type Signed, writeFilm } from './upload-bare.ts'

const SIZE = 300 * MIB
const NAME = 'holiday.mp4'
/** Longer than the page's work after it is ready (prefetching, the session). Users take longer to choose a file. */
const START_MS = 1000
/** Users take longer to find a file in the picker. */
const PICK_MS = 500

type Options = { client: Client; url: string; token: string; dir: string }

/** Compares a file chosen on the files page with `fetch` of the same parts on the same page. */
export async function fromChromium({
  client,
  url,
  token,
  dir,
}: Options): Promise<Result | { leftOut: string }> {
  let browser: Browser
  try {
    browser = await launchChromium()
  } catch (error) {
    return {
      leftOut: `left out: the files page, since no Chromium starts here (${(error as Error).message})`,
    }
  }
  await using closing = new AsyncDisposableStack()
  closing.defer(() => browser.close())
  const path = join(dir, NAME)
  await writeFilm(path, SIZE)
  const context = await browser.newContext()
  await context.addCookies([{ name: 'next-auth.session-token', value: token, url }])
  // Use the page's own input instead of Chromium's file picker, which scripts cannot control.
  await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
  const page = await context.newPage()
  const fresh = async () => {
    await page.goto(url)
    await page.locator('html[data-ready]').waitFor()
    await sleep(START_MS)
  }
  return await besideBare(
    client,
    {
      ...{
        name: 'files page in Chromium',
        bareName: 'bare PUTs by fetch',
        callsName: '... and the three calls',
      },
      ...{ size: SIZE, rounds: 9, target: 0.85 },
    },
    {
      bare: async (signed) => {
        await fresh()
        return barePuts(page, path, signed)
      },
      calls: async () => {
        await fresh()
        return barePuts(page, path, null)
      },
      engine: async () => {
        await fresh()
        return watched(page, () => chooseAndWait(page, path))
      },
    },
  )
}

/** If `signed` is null, the page requests URLs and completes the upload within the measured time. */
async function barePuts(page: Page, path: string, signed: Signed | null): Promise<Run> {
  await page.evaluate(() => {
    const input = Object.assign(document.createElement('input'), { type: 'file', id: 'bare' })
    document.body.append(input)
  })
  await page.locator('#bare').setInputFiles(path)
  return watched(page, () =>
    page.evaluate(
      async ({ signed, name, minPartSize, atOnce }) => {
        const startedAt = performance.now()
        const [file] = document.querySelector<HTMLInputElement>('#bare')!.files!
        const call = async (procedure: string, input: object) => {
          const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
          const answer = await fetch(`/api/trpc/upload.${procedure}`, {
            ...init,
            body: JSON.stringify(input),
          })
          if (!answer.ok) throw new Error(`${procedure} answered ${answer.status}`)
          return (await answer.json()).result.data
        }
        const begin = async () => {
          const { size } = file!
          const totalParts = Math.ceil(size / minPartSize)
          const about = { filename: name, mimeType: 'video/mp4', size, totalParts }
          const { fileId, partSize } = await call('initiateMultipart', about)
          const partNumbers = Array.from({ length: totalParts }, (_, i) => i + 1)
          const { parts } = await call('getPartUrls', { fileId, partNumbers })
          return { fileId, partSize, urls: parts.map((part: { uploadUrl: string }) => part.uploadUrl) }
        }
        const own = signed ? null : await begin()
        const { urls, partSize } = signed ?? own!
        let next = 0
        const worker = async () => {
          while (next < urls.length) {
            const part = next++
            const body = file!.slice(part * partSize, (part + 1) * partSize)
            const answer = await fetch(urls[part]!, { method: 'PUT', body })
            if (!answer.ok) throw new Error(`PUT returned ${answer.status}`)
          }
        }
        await Promise.all(Array.from({ length: atOnce }, worker))
        if (own) await call('completeMultipart', { fileId: own.fileId })
        return (performance.now() - startedAt) / 1000
      },
      { signed, name: NAME, minPartSize: 5 * MIB, atOnce: AT_ONCE },
    ),
  )
}

/**
 * Returns the seconds from the picker's response to the row that shows it, by the page's own clock. Playwright polls a
 * page only every half second, and the click itself is not measured.
 */
async function chooseAndWait(page: Page, path: string): Promise<number> {
  const untilDone = page.evaluate(async () => {
    await new Promise((resolve) =>
      document.addEventListener('change', resolve, { capture: true, once: true }),
    )
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (document.querySelector('[data-state="done"]')) resolve()
        const failed = document.querySelector('[data-state="failed"]')
        if (failed) reject(new Error(failed.textContent))
      }
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    return (performance.now() - startedAt) / 1000
  })
  const [seconds] = await Promise.all([untilDone, pick(page, path)])
  return seconds
}

async function pick(page: Page, path: string): Promise<void> {
  const opened = page.waitForEvent('filechooser')
  const upload = page.getByRole('button', { name: 'Upload', exact: true })
  if (await upload.isVisible()) {
    await upload.click()
    await page.getByRole('menuitem', { name: 'Choose files' }).click()
  } else await page.getByRole('button', { name: 'Choose files' }).click()
  const picker = await opened
  await sleep(PICK_MS)
  await picker.setFiles(path)
}

/**
 * Measures the CPU of all browser processes, and the longest time in which the page could not react to a click.
 * Browsers report such times from 50 ms on.
 */
async function watched(page: Page, work: () => Promise<number>): Promise<Run> {
  const longest = await page.evaluateHandle(() => {
    const found = { ms: 0 }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) found.ms = Math.max(found.ms, duration)
    }).observe({ type: 'longtask' })
    return found
  })
  const cdp = await page.context().browser()!.newBrowserCDPSession()
  const cpu = async () => {
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }
  const before = await cpu()
  const seconds = await work()
  const cpuSeconds = (await cpu()) - before
  await cdp.detach()
  const { ms } = await longest.jsonValue()
  return { seconds, more: { 'CPU s': round(cpuSeconds), 'longest task ms': Math.round(ms) } }
}
