// Every page of the app, and the states that users can cause.

import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { closeWithEscape, drop, fileRow, openFilters } from './page.ts'
import { ready } from './site.ts'

/** `newcomer`: a user without any data. */
export type Reader = 'nobody' | 'user' | 'newcomer' | 'admin'

/** Objects that the pages show. */
export type Subjects = {
  userId: string
  heldFileId: string
  broadcastId: string
  webhookId: string
  lockedShare: string
}

export type DialogOpener = ((page: Page) => Locator) & { menuItem?: string }

export type PageEntry = {
  /** Files below src/app that render it. */
  files: string[]
  path: string | ((subjects: Subjects) => string)
  as: Reader
  /** Waits until the page is ready. Default: until it is hydrated or has a heading. */
  wait?(page: Page): Promise<unknown>
  /** Each state builds on the previous one. */
  states?: Record<string, (page: Page) => Promise<unknown>>
  /** Buttons that open a dialog in the last state, or a menu with an item that does. */
  dialogs?: Record<string, DialogOpener>
  errors?: RegExp
  /** Needs a server that sends email, like that of tests/e2e/mail.test.ts. */
  needsMail?: boolean
  /** Only loaded as a document, never by navigation within the app. */
  isApart?: boolean
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()
const inMenu = (menuItem: string): DialogOpener =>
  Object.assign((page: Page) => page.getByRole('button', { name: 'More actions' }), { menuItem })
const click = (name: string | RegExp) => (page: Page) => button(name)(page).click()
const mailToken = '#no-such-token-but-one-of-the-right-form-000'
const admin = (
  name: string,
  rest: Pick<PageEntry, 'states' | 'dialogs'> & { file?: string; path?: PageEntry['path'] } = {},
): PageEntry => ({
  files: [`(signed-in)/admin/${rest.file ?? name}/page.tsx`],
  path: rest.path ?? `/admin/${name}`,
  as: 'admin',
  ...rest,
  async wait(page) {
    await ready(page)
    await page.waitForFunction(() => !document.querySelector('main')?.innerText.includes('Loading…'))
  },
})

export const PAGES: PageEntry[] = [
  {
    files: [],
    path: '/signin',
    as: 'nobody',
    needsMail: true,
    states: {
      'an error': async (page) => {
        await page.getByLabel('Email').fill('nobody@example.com')
        await page.getByLabel('Password').fill('wrong')
        await page.getByLabel('Password').press('Enter')
        await page.getByRole('alert').filter({ hasText: 'Wrong' }).waitFor()
      },
    },
    errors: /status of 401/,
  },
  { files: [], path: '/signup', as: 'nobody' },
  // Redirects to the sign-in page. tests/e2e/passkeys.test.ts checks the page itself.
  { files: ['register-passkey/page.tsx'], path: '/register-passkey', as: 'nobody' },
  {
    files: ['forgot-password/page.tsx'],
    path: '/forgot-password',
    as: 'nobody',
    needsMail: true,
    states: {
      sent: async (page) => {
        await page.getByLabel('Email').fill('nobody@example.com')
        await page.getByLabel('Email').press('Enter')
        await page.getByText('an email is on its way').waitFor()
      },
    },
  },
  {
    files: ['reset-password/page.tsx'],
    path: `/reset-password${mailToken}`,
    as: 'nobody',
    needsMail: true,
    // tests/e2e/mail.test.ts checks the form, which needs a valid link.
    wait: (page) => page.getByRole('heading', { name: 'This link no longer works' }).waitFor(),
    errors: /status of 400/,
  },
  {
    files: ['verify-email/page.tsx'],
    path: `/verify-email${mailToken}`,
    as: 'nobody',
    needsMail: true,
    // tests/e2e/mail.test.ts checks the form, which needs a valid link.
    wait: (page) => page.getByRole('heading', { name: 'This link no longer works' }).waitFor(),
    errors: /status of 400/,
  },
  {
    files: ['(signed-in)/page.tsx'],
    path: '/',
    as: 'user',
    wait: async (page) => {
      await ready(page)
      await fileRow(page, 'photo.png').waitFor()
    },
    states: {
      grid: async (page) => {
        await click('Show as grid')(page)
        await page.getByRole('button', { name: 'Show as list' }).waitFor()
        await fileRow(page, 'photo.png').waitFor()
      },
      'storage and selection': async (page) => {
        await click('Show as list')(page)
        await page.getByRole('checkbox', { name: 'Select photo.png' }).check()
        await click('Storage details')(page)
        await page.getByRole('list', { name: 'Storage by type' }).waitFor()
      },
      'keyboard shortcuts': async (page) => {
        await page.keyboard.press('Escape')
        await page.keyboard.press('?')
        const dialog = page.getByRole('alertdialog', { name: 'Keyboard shortcuts' })
        await dialog.waitFor()
        await closeWithEscape(dialog)
      },
    },
    dialogs: {
      share: (page) => page.getByRole('button', { name: 'Share photo.png' }),
      preview: (page) => page.getByRole('link', { name: 'photo.png', exact: true }),
    },
  },
  {
    files: ['(signed-in)/trash/page.tsx'],
    path: '/trash',
    as: 'user',
    dialogs: {
      'empty the trash': button('Empty trash'),
      delete: button(/^Delete permanently/),
    },
  },
  { files: ['(signed-in)/trash/page.tsx'], path: '/trash', as: 'newcomer' },
  {
    files: ['sign-in-again/page.tsx'],
    path: '/sign-in-again',
    as: 'user',
    isApart: true,
    wait: (page) => page.getByText('You have signed in again').waitFor(),
  },
  { files: ['(signed-in)/messages/page.tsx'], path: '/messages', as: 'user' },
  { files: ['(signed-in)/messages/page.tsx'], path: '/messages', as: 'newcomer' },
  { files: ['(signed-in)/messages/sent/page.tsx'], path: '/messages/sent', as: 'newcomer' },
  ...['notifications', 'api-keys', 'security'].map((section) => ({
    files: [`(signed-in)/settings/${section}/page.tsx`],
    path: `/settings/${section}`,
    as: 'newcomer' as const,
  })),
  {
    files: ['(signed-in)/page.tsx'],
    path: '/',
    as: 'newcomer',
    states: {
      'a failed upload': async (page) => {
        await drop(page, fileURLToPath(import.meta.url))
        await page.getByText(/^(Files of this type|Videos of this type|The type of this file)/).waitFor()
      },
      'the account menu': async (page) => {
        await click(/^Account/)(page)
        await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
      },
    },
  },
  {
    files: ['(signed-in)/messages/sent/page.tsx'],
    path: '/messages/sent',
    as: 'user',
    states: {
      'why it failed': async (page) => {
        await page.getByText('Why it failed').click()
        await page.getByText('PayloadEmpty').waitFor()
      },
    },
    dialogs: { stop: button('Cancel message') },
  },
  {
    files: ['(signed-in)/messages/new/page.tsx'],
    path: '/messages/new',
    as: 'user',
    states: {
      'all fields, with faults': async (page) => {
        await click('Save as template')(page)
        await page.getByLabel('Template name').fill('Parcel')
        await click('Save template')(page)
        for (const part of ['Use a template', 'More options', 'Delivery and platforms', 'Translations'])
          await page.getByText(part, { exact: true }).click()
        await click('Save as template')(page)
        await page.getByLabel('Template name').waitFor()
        await click('Add a language')(page)
        await page.getByLabel('Relevance').fill('2')
        await page.getByLabel('More FCM options (JSON)').fill('[]')
        await page.getByLabel('Some users').check()
        await page.getByLabel('Later').check()
        await click('Schedule')(page)
        await page.getByText('Enter a push token.').waitFor()
      },
    },
  },
  { files: ['(signed-in)/settings/page.tsx'], path: '/settings', as: 'user' },
  {
    files: ['(signed-in)/settings/profile/page.tsx'],
    path: '/settings/profile',
    as: 'user',
    async wait(page) {
      await ready(page)
      // Language and appearance load separately.
      await page.locator('main select').nth(1).waitFor()
    },
  },
  {
    files: ['(signed-in)/settings/notifications/page.tsx'],
    path: '/settings/notifications',
    as: 'user',
    dialogs: { device: button('Remove My iPhone') },
  },
  {
    files: ['(signed-in)/settings/security/page.tsx'],
    path: '/settings/security',
    as: 'user',
    dialogs: { everywhere: button('Sign out everywhere'), account: button('Delete account') },
  },
  {
    files: ['(signed-in)/settings/api-keys/page.tsx'],
    path: '/settings/api-keys',
    as: 'user',
    states: {
      'the form for API keys, with errors': async (page) => {
        await click('New API key')(page)
        await page.getByLabel('Key name').fill('nightly backup')
        await page.getByLabel('Upload files').uncheck()
        await click('Create key')(page)
        await page.getByText('Choose at least one permission').waitFor()
      },
      'a key shown once': async (page) => {
        await page.getByLabel('Upload files').check()
        await click('Create key')(page)
        await page.getByRole('region', { name: 'Your new API key' }).waitFor()
      },
    },
    dialogs: { key: button('Revoke nightly backup') },
    errors: /status of 400/,
  },
  {
    ...admin('users', { dialogs: { 'new user': button('New user') } }),
    // The first page redirects to it.
    files: ['(signed-in)/admin/page.tsx', '(signed-in)/admin/users/page.tsx'],
    path: '/admin',
  },
  admin('user', {
    file: 'users/[id]',
    path: ({ userId }) => `/admin/users/${userId}`,
    states: {
      'the form for a password, with an error': async (page) => {
        await click('More actions')(page)
        await page.getByRole('menuitem', { name: 'Set password' }).click()
        await click('Set password')(page)
        await page.getByText('Enter a password of 12 to 128 characters.').waitFor()
      },
    },
    dialogs: {
      role: inMenu('Make administrator'),
      'sign out': inMenu('Sign out everywhere'),
      disable: button('Disable'),
      delete: inMenu('Delete user'),
    },
  }),
  ...['users', 'files', 'broadcasts', 'webhooks'].map((list) => ({
    ...admin(list, { file: `${list}/[id]`, path: `/admin/${list}/01234567-0000-7000-8000-000000000000` }),
    errors: /status of 404/,
  })),
  admin('files', {
    states: {
      'an error in the search': async (page) => {
        await openFilters(page)
        await page.getByLabel('App data').fill('A1')
        await page.getByLabel('App data').press('Enter')
        await page.getByText('Enter a key and its exact value').waitFor()
      },
    },
    dialogs: { reject: button(/^Reject/) },
  }),
  admin('file', {
    file: 'files/[id]',
    path: ({ heldFileId }) => `/admin/files/${heldFileId}`,
    states: {
      'the image': async (page) => {
        await click('Show image')(page)
        await page.getByRole('img', { name: 'photo.png' }).waitFor()
      },
    },
    dialogs: { reject: button(/^Reject/) },
  }),
  admin('server-keys', {
    states: {
      'the form': async (page) => {
        await click('New server key')(page)
        await page.getByLabel('Key name').waitFor()
      },
    },
    dialogs: { revoke: button(/^Revoke/) },
  }),
  admin('push-tokens', {
    states: {
      'the form': async (page) => {
        await click('New push token')(page)
        await page.getByLabel('Token name').waitFor()
      },
    },
    dialogs: { revoke: button(/^Revoke/) },
  }),
  admin('broadcasts', { dialogs: { cancel: button(/^Cancel/) } }),
  admin('broadcast', {
    file: 'broadcasts/[id]',
    path: ({ broadcastId }) => `/admin/broadcasts/${broadcastId}`,
    dialogs: { cancel: button(/^Cancel/) },
  }),
  admin('webhooks', {
    states: {
      'the form': async (page) => {
        await click('New webhook')(page)
        await page.getByLabel('URL').waitFor()
      },
    },
  }),
  admin('webhook', {
    file: 'webhooks/[id]',
    path: ({ webhookId }) => `/admin/webhooks/${webhookId}`,
    dialogs: { delete: inMenu('Delete webhook') },
  }),
  admin('health'),
  admin('audit'),
  {
    files: ['s/[token]/route.ts'],
    path: ({ lockedShare }) => lockedShare,
    as: 'nobody',
    states: {
      'a wrong password': async (page) => {
        await page.getByLabel('Password').fill('wrong')
        await page.keyboard.press('Enter')
        await page.getByRole('alert').waitFor()
      },
      open: async (page) => {
        await page.getByLabel('Password').fill('a swallow')
        await page.keyboard.press('Enter')
        await page.getByRole('link', { name: 'Download' }).waitFor()
      },
    },
    errors: /status of 403/,
  },
  { files: ['s/[token]/route.ts'], path: '/s/none', as: 'nobody', errors: /status of 404/ },
  {
    files: ['files/[id]/route.ts'],
    path: '/files/01234567-0000-7000-8000-000000000000',
    as: 'user',
    isApart: true,
    errors: /status of 404/,
    wait: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  {
    files: ['not-found.tsx'],
    path: '/no-such-page',
    as: 'nobody',
    errors: /status of 404/,
  },
  {
    files: ['(signed-in)/not-found.tsx'],
    path: '/admin/users',
    as: 'user',
    isApart: true,
    errors: /status of 404/,
    wait: (page) => page.getByRole('heading', { name: 'Page not found' }).waitFor(),
  },
]

/** Files of error pages, which the table omits. tests/e2e/shell.test.ts causes the errors. */
export const FAULT_PAGES = ['error.tsx', '(signed-in)/error.tsx']
