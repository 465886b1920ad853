import type { Page } from 'playwright-core'
import { MB, mp4, pdf, png, readablePdf, scratch } from '../../e2e/support/files.ts'
import {
  choose,
  cutNetwork,
  deleteFile,
  fileRow,
  inState,
  queue,
  queueRow,
  unfinished,
} from '../../e2e/support/page.ts'
import { holdNewestFile, seedFiles } from '../../support/seed-files.ts'
import { call, open, press, type Scene, type SceneGroup, throttle } from '../scene.ts'

const files = scratch()
const LONG = `${'minutes of the annual general meeting of the shareholders '.repeat(3)}2026`
const pictures = [
  files.file('harbour-at-dawn.png', png(160, [20, 60, 120], [250, 190, 120])),
  files.file('meadow.png', png(160, [40, 120, 60], [240, 230, 140])),
  files.file('poster-final.png', png(160, [120, 20, 80], [250, 140, 60])),
]
const contract = files.file('contract-2026.pdf', padded(readablePdf(['Contract', '', '1. Subject']), 2 * MB))
const minutes = files.file(
  `${LONG}.pdf`,
  readablePdf([
    'Annual general meeting',
    '',
    '1. Opening',
    '2. Accounts of the past year',
    '3. Election of the board',
  ]),
)
const plans = files.file('building-plans.pdf', pdf(31 * MB))
const film = files.file('release-party.mp4', mp4(64 * MB))
const notes = files.file('notes.txt', Buffer.from('not allowed'))
const disguised = files.file('holiday.png', Buffer.from('%PDF-1.7 in truth'))
const empty = files.file('empty.pdf', Buffer.alloc(0))

export const readmeScene: Scene = async (stage) => {
  const { page } = stage
  await open(stage, '/')
  await choose(page, ...pictures, contract)
  await page.getByRole('heading', { name: '4 files uploaded', exact: true }).waitFor()
  for (const name of ['harbour-at-dawn.png', 'poster-final.png', 'contract-2026.pdf'])
    await thumbnail(page, name)
  await press(stage, 'Clear list')
  await throttle(page, 9 * MB)
  await choose(page, film, plans)
  await progress(page, 'release-party.mp4', 30)
}

/** Scenes of one user's files, starting without any. */
export const fileScenes: SceneGroup = {
  scenes: {
    'files-empty': (stage) => open(stage, '/'),
    'files-drop-overlay': async ({ page }) => {
      const session = await page.context().newCDPSession(page)
      const data = { items: [], files: [contract], dragOperationsMask: 1 }
      // The overlay disappears when nothing is dragged, so keep dragging while pictures are taken.
      await page.evaluate(() => {
        const transfer = new DataTransfer()
        transfer.items.add(new File(['x'], 'x.png'))
        const drag = () => dispatchEvent(new DragEvent('dragover', { dataTransfer: transfer, bubbles: true }))
        Object.assign(window, { dragging: setInterval(drag, 50) })
      })
      for (const type of ['dragEnter', 'dragOver'] as const)
        await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
      await page.getByText('Drop to upload').waitFor()
    },
    'uploads-busy': async (stage) => {
      const { page } = stage
      await open(stage, '/')
      await choose(page, ...pictures, contract, minutes)
      await page.getByRole('heading', { name: '5 files uploaded', exact: true }).waitFor()
      await throttle(page, MB)
      await choose(page, film, plans)
      await progress(page, 'release-party.mp4', 5)
      await press(stage, 'Pause building-plans.pdf')
    },
    'uploads-hidden': async (stage) => {
      await press(stage, 'Hide uploads')
    },
    'uploads-failed': async (stage) => {
      await press(stage, 'Show uploads')
      await choose(stage.page, notes, disguised, empty)
      await stage.page.getByRole('heading', { name: /^3 .*failed/ }).waitFor()
    },
    'uploads-offline': async ({ page }) => {
      await cutNetwork(page)
      await page.getByText('You are offline').first().waitFor()
    },
    'page-offline': async (stage) => {
      const { page } = stage
      await page.getByRole('navigation').first().getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Connect to open other pages').first().waitFor()
    },
    'sign-out-while-uploading-dialog': async (stage) => {
      await press(stage, /^Account/)
      await press(stage, 'Sign out')
      await stage.page.getByRole('alertdialog').waitFor()
    },
    'uploads-unfinished': async (stage) => {
      const { page } = stage
      await throttle(page, 3 * MB)
      await page.keyboard.press('Escape')
      await inState(page, 'release-party.mp4', 'uploading')
      await open(stage, '/')
      await unfinished(page)
        .getByRole('button', { name: 'Choose file to resume release-party.mp4' })
        .waitFor()
    },
    'files-no-match': async ({ page }) => {
      await page.getByRole('searchbox').fill('zebra')
      await page.getByText('No files match').waitFor()
    },
    'files-undo': async (stage) => {
      const { page } = stage
      await page.getByRole('searchbox').fill('')
      await fileRow(page, 'meadow.png').waitFor()
      for (const name of ['release-party.mp4', 'building-plans.pdf']) {
        await press(stage, `Actions for ${name}`)
        await page.getByRole('menuitem', { name: 'Discard' }).click()
      }
      await unfinished(page).waitFor({ state: 'detached' })
      await page.evaluate(() => Object.assign(window, { setTimeout: () => 0 }))
      await deleteFile(page, 'poster-final.png')
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
    'files-selected': async (stage) => {
      const { page } = stage
      await open(stage, '/')
      await page.getByRole('checkbox', { name: 'Select meadow.png' }).check()
      await page.getByRole('checkbox', { name: `Select ${LONG}` }).check()
      await press(stage, 'Storage details')
      await page.getByRole('list', { name: 'Storage by type' }).waitFor()
    },
    'files-upload-menu': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await press(stage, 'Upload')
      await stage.page.getByRole('menuitem', { name: 'Choose files' }).waitFor()
    },
    'files-shortcuts-dialog': async ({ page }) => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('alertdialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
    'files-grid': async (stage) => {
      const { page } = stage
      await page.keyboard.press('Escape')
      await press(stage, 'Show as grid')
      await page.getByRole('button', { name: 'Show as list' }).waitFor()
      await thumbnail(page, 'meadow.png')
    },
    'files-menu': async (stage) => {
      await press(stage, 'Show as list')
      await press(stage, 'Clear selection')
      await press(stage, 'Actions for meadow.png')
      await stage.page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    },
    'rename-dialog': async (stage) => {
      const { page } = stage
      // The menu closes when the page scrolls.
      if (!(await page.getByRole('menuitem', { name: 'Rename' }).isVisible()))
        await press(stage, 'Actions for meadow.png')
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
    'preview-dialog': async ({ page }) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'meadow.png', exact: true }).click()
      const image = page.getByRole('dialog').locator('img')
      await image.evaluate((one: HTMLImageElement) => one.decode())
    },
    'preview-pdf-dialog': async ({ page }) => {
      await page.keyboard.press('Escape')
      // Draws the pages in all widths: while pictures are taken, a frame would still be empty.
      await page.evaluate(() => Object.defineProperty(navigator, 'pdfViewerEnabled', { value: false }))
      await page.getByRole('link', { name: `${LONG}.pdf`, exact: true }).click()
      await page.getByRole('dialog').getByRole('img', { name: 'Page 1 of 1' }).locator('canvas').waitFor()
    },
    'share-dialog': async (stage) => {
      const { page } = stage
      // The PDF's frame can have the keyboard focus.
      await press(stage, 'Close')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.setViewportSize({ width: 1280, height: 860 })
      await press(stage, 'Share meadow.png')
      await page.getByText('No links to this file yet.').waitFor()
    },
    'share-links-dialog': async ({ page }) => {
      for (const password of ['', 'a swallow']) {
        if (password) {
          await page.getByText('Expires after 7 days').click()
          await page.getByLabel('Password (optional)').fill(password)
        }
        await page.getByRole('button', { name: /^Create and copy/ }).click()
        await page.getByRole('button', { name: password ? 'Copy link 2' : 'Copied link 1' }).waitFor()
      }
    },
    'account-menu-dialog': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await stage.page.getByRole('dialog').waitFor({ state: 'detached' })
      await press(stage, /^Account/)
    },
    'session-ended-dialog': async (stage) => {
      const { page } = stage
      await open(stage, '/')
      await page.context().clearCookies()
      await deleteFile(page, 'meadow.png', { now: true })
      await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor()
    },
  },
}

export const fullFiles: SceneGroup = {
  scenes: {
    'files-200': async (stage) => {
      await seedFiles(stage.stack.databaseUrl, stage.user.id, 200)
      await holdNewestFile(stage.stack.query, stage.user.id)
      await open(stage, '/')
      await fileRow(stage.page, 'report 00001.pdf').waitFor()
    },
    trash: async (stage) => {
      const { page } = stage
      const { items } = await call(stage, 'files.list', { limit: 3, sort: 'oldest' })
      for (const { id } of items) await call(stage, 'files.delete', { fileId: id, trash: true })
      await open(stage, '/trash')
      await page
        .getByRole('button', { name: /^Restore/ })
        .first()
        .waitFor()
    },
    'trash-empty-dialog': async (stage) => {
      await press(stage, 'Empty trash')
      await stage.page.getByRole('alertdialog').waitFor()
    },
    'trash-empty': async (stage) => {
      const { page } = stage
      await page.getByRole('alertdialog').getByRole('button', { name: 'Empty trash' }).click()
      await page.getByText('The trash is empty').waitFor()
    },
    'files-quota-full': async (stage) => {
      const { page, stack, user } = stage
      await stack.query('UPDATE users SET quota_bytes = $1 WHERE id = $2', [4 * MB, user.id])
      await stack.query('DELETE FROM files WHERE user_id = $1', [user.id])
      await stack.query('UPDATE users SET used_bytes = 0 WHERE id = $1', [user.id])
      await open(stage, '/')
      await choose(page, contract, film)
      await queueRow(page, 'release-party.mp4')
        .getByText(/more than your whole storage/)
        .waitFor()
      await inState(page, 'contract-2026.pdf', 'done')
      await stack.query('UPDATE users SET quota_bytes = used_bytes + reserved_bytes WHERE id = $1', [user.id])
      await open(stage, '/')
      await page.getByText('Your storage is full').waitFor()
    },
  },
}

/** Adds space to a PDF before the end that tells viewers where it starts. */
function padded(file: Buffer, size: number): Buffer {
  const end = file.subarray(file.lastIndexOf('startxref'))
  return Buffer.concat([file, Buffer.alloc(size, ' '), end])
}

async function thumbnail(page: Page, name: string): Promise<void> {
  const image = await fileRow(page, name).locator('img').elementHandle()
  await page.waitForFunction((one) => (one as HTMLImageElement).naturalWidth > 0, image)
}

async function progress(page: Page, name: string, percent: number): Promise<void> {
  await page.waitForFunction(
    ([label, least]) => {
      const bar = document.querySelector(`li [role=progressbar][aria-label="${label}"]`)
      return Number(bar?.getAttribute('aria-valuenow')) >= Number(least)
    },
    [name, percent],
  )
  await queue(page).getByText(/left/).first().waitFor()
}
