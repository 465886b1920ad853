import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { MB, mp4, pdf, png, scratch } from '../e2e/support/files.ts'
import {
  choose,
  deleteFile,
  fileRow,
  inState,
  queue,
  queueRow,
  throttle,
  unfinished,
} from '../e2e/support/page.ts'
import type { LocalStack } from './local-stack.ts'

type Scene = (page: Page, stack: LocalStack) => Promise<void>

const files = scratch()
const pictures = [
  files.file('harbour-at-dawn.png', png(160, [20, 60, 120], [250, 190, 120])),
  files.file('meadow.png', png(160, [40, 120, 60], [240, 230, 140])),
  files.file('poster-final.png', png(160, [120, 20, 80], [250, 140, 60])),
]
const contract = files.file('contract-2026.pdf', pdf(2 * MB + 331))
const plans = files.file('building-plans.pdf', pdf(31 * MB))
const film = files.file('release-party.mp4', mp4(64 * MB))
const notes = files.file('notes.txt', Buffer.from('not allowed'))

export const readmeScene: Scene = async (page, stack) => {
  await signIn(page, stack)
  await choose(page, ...pictures, contract)
  await page.getByRole('heading', { name: '4 files uploaded' }).waitFor()
  for (const name of ['harbour-at-dawn.png', 'poster-final.png']) await thumbnail(page, name)
  await page.getByRole('button', { name: 'Clear list' }).click()
  await throttle(page, 9 * MB)
  await choose(page, film, plans)
  await progress(page, 'release-party.mp4', 30)
}

export const scenes: Record<string, Scene> = {
  signin: (page, { url }) => open(page, `${url}/signin`),
  'signin-error': (page, { url }) => open(page, `${url}/signin?error=CredentialsSignin`),
  signup: (page, { url }) => open(page, `${url}/signup`),
  empty: signIn,
  'queue-under-way': async (page) => {
    await choose(page, ...pictures, contract)
    await page.getByRole('heading', { name: '4 files uploaded' }).waitFor()
    await throttle(page, 3 * MB)
    await choose(page, film, plans, notes)
    await progress(page, 'release-party.mp4', 5)
    await page.getByRole('button', { name: 'Pause building-plans.pdf' }).click()
  },
  'queue-offline': async (page) => {
    await page.context().setOffline(true)
    await page.getByText('You are offline').first().waitFor()
  },
  unfinished: async (page, { url }) => {
    await page.context().setOffline(false)
    await inState(page, 'release-party.mp4', 'uploading')
    await open(page, url)
    await unfinished(page).getByRole('button', { name: 'Resume release-party.mp4' }).waitFor()
  },
  'search-without-result': async (page) => {
    await page.getByRole('searchbox').fill('zebra')
    await page.getByText('No files match').waitFor()
  },
  'files-undo': async (page) => {
    await page.getByRole('searchbox').fill('')
    await fileRow(page, 'meadow.png').waitFor()
    for (const name of ['Discard release-party.mp4', 'Discard building-plans.pdf'])
      await page.getByRole('button', { name }).click()
    await unfinished(page).waitFor({ state: 'detached' })
    await deleteFile(page, 'meadow.png')
  },
  'files-selected': async (page) => {
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'What uses my space' }).click()
    await page.getByRole('checkbox', { name: 'Select meadow.png' }).check()
    await page.getByRole('checkbox', { name: 'Select contract-2026.pdf' }).check()
  },
  'files-menu': async (page) => {
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('button', { name: 'Actions for meadow.png' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  },
  'dialog-rename': async (page) => {
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('alertdialog').waitFor()
  },
  'dialog-preview': async (page) => {
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'meadow.png', exact: true }).click()
    const image = page.getByRole('dialog').locator('img')
    await image.evaluate((one: HTMLImageElement) => one.decode())
  },
  'dialog-session-ended': async (page) => {
    await page.keyboard.press('Escape')
    await page.context().clearCookies()
    await deleteFile(page, 'meadow.png', { now: true })
    await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor()
  },
  'queue-quota-full': async (page, stack) => {
    setQuota(stack, 4 * MB)
    await signIn(page, stack)
    await choose(page, contract, film)
    await queueRow(page, 'release-party.mp4')
      .getByText(/needs 64 MB/)
      .waitFor()
  },
  settings: async (page, { url }) => {
    await open(page, `${url}/settings`)
    await page.getByLabel('Category to mute').fill('marketing')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unmute marketing' }).waitFor()
  },
  'dialog-delete-account': async (page) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('alertdialog').waitFor()
  },
  'messages-empty': (page, { url }) => open(page, `${url}/messages`),
  messages: async (page, stack) => {
    await send(stack, {
      title: 'Parcel',
      subtitle: 'Counter 3',
      body: 'It is at the door.\nThe code is 4711.',
      link: 'https://example.com/parcels/42',
      imageUrl: `${stack.url}/icon-512.png`,
      data: { orderId: 42, address: { street: 'Main Street 1', city: 'Linz' } },
    })
    await send(stack, { title: 'Build 318 is green', body: 'All 412 tests passed.', category: 'builds' })
    await open(page, `${stack.url}/messages`)
    await page.getByText('All 412 tests passed.').waitFor()
  },
  'messages-new': async (page, stack) => {
    await open(page, `${stack.url}/messages/new`)
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Maintenance tonight')
    await page
      .getByRole('textbox', { name: 'Text', exact: true })
      .fill('From 22:00 to 22:15 uploads are read-only.')
    await page.getByText('More options').click()
    await page.getByLabel('Subtitle').fill('All sites')
    await page.getByLabel('Picture').fill(`${stack.url}/icon-512.png`)
    await page.getByLabel('Badge').fill('3')
    await page.getByText('Translations').click()
    await page.getByRole('button', { name: 'Add a language' }).click()
    await page.getByLabel('Language', { exact: true }).fill('de')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Enter a push token.').waitFor()
  },
  'messages-broadcast-dialog': async (page, stack) => {
    await page.getByRole('button', { name: 'Remove the translation de' }).click()
    await page.getByLabel('Push token').fill(stack.pushToken)
    await page.getByLabel('Everyone').check()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('alertdialog').waitFor()
  },
  'messages-sent': async (page, { url }) => {
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Send to/ })
      .click()
    await page
      .getByRole('region', { name: 'Delivery' })
      .getByText(/^Sent to \d/)
      .waitFor()
    await open(page, `${url}/messages/sent`)
    await page.getByRole('list', { name: 'Sent by you' }).waitFor()
  },
  'account-menu-dialog': async (page) => {
    await page.getByRole('button', { name: /^Account/ }).click()
  },
  'not-found': async (page, { url }) => {
    await page.goto(`${url}/no-such-page`)
  },
  phones: async (page, stack) => {
    await page.goto(stack.phonesUrl)
    await page.getByRole('region', { name: 'Demo iPhone' }).waitFor()
    await send(stack, { title: 'Hello', body: 'Sent with curl', data: { orderId: 42 } })
    await page.getByText('Sent with curl').first().waitFor()
    await page.getByRole('button', { name: 'Add an iPhone' }).click()
    await page.getByRole('button', { name: 'Remove the app: iPhone 4' }).click()
  },
  'forgot-password': async (page, { url }) => {
    await page.context().clearCookies()
    await page.goto(`${url}/forgot-password`)
  },
  'reset-password': (page, { url }) => goTo(page, `${url}/reset-password#token`, 'New password'),
  'verify-email': (page, { url }) => goTo(page, `${url}/verify-email#token`, 'Password'),
  'verify-email-banner': async (page, { url }) => {
    await page.goto(`${url}/signup`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(`ada-${Date.now()}@example.com`)
    await page.getByLabel('Password').fill('a password for pictures')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor()
  },
  mailbox: async (page, { mailboxUrl }) => {
    await page.goto(mailboxUrl)
    await page.getByRole('listitem').first().getByRole('button').click()
    await page.frameLocator('iframe').getByRole('link').first().waitFor()
  },
}

async function signIn(page: Page, { url, email, password }: LocalStack): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${url}/signin`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  await page.locator('html[data-ready]').waitFor()
}

async function goTo(page: Page, url: string, field: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel(field).waitFor()
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  if (!/sign(in|up)/.test(url)) await page.locator('html[data-ready]').waitFor()
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

async function send({ url, pushToken }: LocalStack, push: object): Promise<void> {
  const response = await fetch(`${url}/api/push/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pushToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(push),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

/** Sets the quota of the demo user. */
function setQuota({ databaseUrl, email }: LocalStack, bytes: number): void {
  const args = [join(ROOT, 'src/cli/user-create.ts'), '--email', email, '--quota', String(bytes)]
  execFileSync(process.execPath, args, { env: { ...process.env, DATABASE_URL: databaseUrl }, stdio: 'pipe' })
}
