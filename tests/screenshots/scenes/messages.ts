import { askToSignIn, call, dialog, open, press, type SceneGroup, type Stage, send } from '../scene.ts'

const LONG_TITLE = 'The maintenance of the northern data centre that was announced last week is postponed'

async function write({ page }: Stage): Promise<void> {
  await page.getByRole('textbox', { name: 'Title', exact: true }).first().fill('Maintenance tonight')
  await page
    .getByRole('textbox', { name: 'Text', exact: true })
    .first()
    .fill('From 22:00 to 22:15 uploads are read-only.')
}

/** Scenes of the demo user, whose virtual phones receive the messages. */
export const messages: SceneGroup = {
  as: 'demo user',
  scenes: {
    'inbox-empty': (stage) => open(stage, '/messages'),
    'sent-empty': (stage) => open(stage, '/messages/sent'),
    inbox: async (stage) => {
      await send(stage, {
        title: 'Parcel',
        subtitle: 'Counter 3',
        body: 'It is at the door.\nThe code is 4711.',
        link: 'https://example.com/parcels/42',
        imageUrl: `${stage.stack.url}/icon-512.png`,
        data: { orderId: 42, address: { street: 'Main Street 1', city: 'Linz' } },
      })
      await send(stage, { title: LONG_TITLE, body: 'All 412 tests passed.', category: 'builds' })
      await call(stage, 'preferences.update', { mutedCategories: ['builds'] })
      await open(stage, '/messages')
      await stage.page.getByText('All 412 tests passed.').waitFor()
    },
    'inbox-category': async (stage) => {
      await open(stage, '/messages?category=builds')
      await stage.page.getByText('All 412 tests passed.').waitFor()
    },
    'inbox-nothing-new': async (stage) => {
      await press(stage, 'New')
      await stage.page.getByText('Nothing new').waitFor()
    },
    compose: (stage) => open(stage, '/messages/new'),
    'compose-faults': async (stage) => {
      await press(stage, /^Send( to \d+ devices?)?$/)
      await stage.page.getByText('Enter a title.').waitFor()
    },
    'compose-all-options': async (stage) => {
      const { page, stack } = stage
      await write(stage)
      await page.getByText('More options').click()
      await page.getByLabel('Subtitle').fill('All sites')
      await page.getByLabel('Image URL').fill(`${stack.url}/icon-512.png`)
      await page.getByLabel('Badge').fill('3')
      await page.getByLabel('Data for the app').fill('order=42\nstreet=Main Street 1')
      await page.getByText('Translations').click()
      await press(stage, 'Add a language')
      await page.getByLabel('Language', { exact: true }).fill('de')
      await page.getByRole('textbox', { name: 'Title', exact: true }).nth(1).fill('Wartung heute Abend')
      await page
        .getByRole('textbox', { name: 'Text', exact: true })
        .nth(1)
        .fill('Von 22:00 bis 22:15 kann nichts hochgeladen werden.')
      await press(stage, 'Save as template')
      await page.getByLabel('Template name').fill('Maintenance of the northern data centre')
      await press(stage, 'Save template')
      await page.getByLabel('Template name').waitFor({ state: 'detached' })
      await press(stage, 'Save as template')
      await press(stage, 'Use a template')
      await page.getByRole('button', { name: /^Use Maintenance/ }).waitFor()
    },
    'compose-template-dialog': async (stage) => {
      await press(stage, /^Delete Maintenance/)
      await dialog(stage.page).waitFor()
    },
    'compose-to-users': async (stage) => {
      const { page } = stage
      await page.keyboard.press('Escape')
      await open(stage, '/messages/new')
      await write(stage)
      await page.getByLabel('Some users').check()
      await page.getByRole('combobox', { name: 'Users' }).fill(stage.user.email)
      await page.getByRole('option', { name: stage.user.email }).click()
      await page.getByRole('status', { name: 'Reach' }).getByText('Reaches').waitFor()
    },
    'compose-recipients': async ({ page, stack }) => {
      // The search leaves out users who are already chosen.
      await stack.newUser({
        name: 'Grace Hopper',
        email: 'grace@example.com',
        password: 'a password to be changed',
      })
      await page.getByRole('combobox', { name: 'Users' }).fill('example')
      await page.getByRole('listbox').getByRole('option').first().waitFor()
    },
    'compose-recipients-none': async ({ page }) => {
      await page.getByRole('combobox', { name: 'Users' }).fill('nobody at all')
      await page.getByText('No users match').first().waitFor()
    },
    'compose-schedule': async (stage) => {
      const { page } = stage
      await page.getByLabel('A topic').check()
      await page.getByLabel('Topic', { exact: true }).fill('operations')
      await page.getByLabel('Later').check()
      const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
      await page.getByLabel('Date and time').fill(`${day}T20:15`)
    },
    'schedule-dialog': async (stage) => {
      await press(stage, 'Schedule')
      await dialog(stage.page).waitFor()
    },
    'compose-scheduled': async ({ page }) => {
      await dialog(page).getByRole('button', { name: 'Schedule' }).click()
      await page.getByRole('region', { name: 'Delivery' }).getByText('Scheduled').waitFor()
    },
    'broadcast-dialog': async (stage) => {
      const { page } = stage
      await press(stage, 'Edit')
      await dialog(page).getByRole('button', { name: 'Cancel and edit' }).click()
      await page.getByLabel('Everyone').check()
      await page.getByLabel('Now', { exact: true }).check()
      await press(stage, /^Send to \d/)
      await dialog(page).waitFor()
    },
    'compose-sent': async ({ page }) => {
      await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
      const delivery = page.getByRole('region', { name: 'Delivery' })
      await delivery.getByText(/^Sent to \d/).waitFor()
    },
    sent: async (stage) => {
      const { stack, user, page } = stage
      await stack.query(
        `UPDATE push_messages SET failed = 2, sent = 3, removed = 1, audience_ios = 4, audience_android = 2, audience_web = 0,
           failures = '[{"deviceId":"x","platform":"ios","reason":"TopicDisallowed"}]'
         WHERE id = (SELECT id FROM push_messages WHERE audience_ios > 0 ORDER BY id LIMIT 1)`,
      )
      await stack.query(
        `INSERT INTO push_failures (message_id, device_id, user_id, platform, reason)
         SELECT id, $1, $1, 'ios', 'TopicDisallowed' FROM push_messages WHERE failed = 2`,
        [user.id],
      )
      await open(stage, '/messages/sent')
      await page.getByRole('list', { name: 'Sent by you' }).waitFor()
      await page.getByText('Why it failed').first().click()
      await page.getByText('TopicDisallowed').first().waitFor()
    },
    'cancel-message-dialog': async (stage) => {
      const sendAt = new Date(Date.now() + 2 * 86_400_000).toISOString()
      await send(stage, { title: 'Maintenance on Monday', body: 'Uploads pause for an hour.', sendAt })
      await open(stage, '/messages/sent')
      await press(stage, 'Cancel message')
      await dialog(stage.page).waitFor()
    },
    phones: async (stage) => {
      const { page, stack } = stage
      await page.goto(stack.phonesUrl)
      await page.getByRole('region', { name: 'Demo iPhone' }).waitFor()
      await send(stage, { title: 'Hello', body: 'Sent with curl', data: { orderId: 42 } })
      await page.getByText('Sent with curl').first().waitFor()
      await page.getByRole('button', { name: 'Add iPhone' }).click()
      await page.getByRole('button', { name: 'Remove app: iPhone 4' }).click()
    },
  },
}

export const settings: SceneGroup = {
  scenes: {
    settings: (stage) => open(stage, '/settings'),
    'settings-profile': (stage) => open(stage, '/settings/profile'),
    'settings-notifications-empty': (stage) => open(stage, '/settings/notifications'),
    'settings-api-keys-empty': (stage) => open(stage, '/settings/api-keys'),
    'settings-notifications': async (stage) => {
      const { stack, user } = stage
      const names = ['My iPhone', 'The tablet in the kitchen that everyone in the family uses now and then']
      for (const [i, name] of names.entries())
        await call(stage, 'devices.register', { platform: 'ios', token: String(i).repeat(64), name })
      await call(stage, 'devices.register', { platform: 'android', token: 'android-token-12345678' })
      await stack.query(
        `UPDATE devices SET disabled_reason = 'BadDeviceToken' WHERE user_id = $1 AND platform = 'android'`,
        [user.id],
      )
      for (const topic of ['news', 'operations.northern-data-centre.maintenance-windows.of-the-coming-year'])
        await call(stage, 'topics.subscribe', { topic })
      await call(stage, 'preferences.update', {
        mutedCategories: ['builds', 'marketing', 'a-category-with-quite-a-long-name'],
      })
      await stack.query(
        `INSERT INTO sessions (id, user_id, epoch, user_agent, created_at, last_seen_at, expires_at)
         SELECT gen_random_uuid(), id, session_epoch, $2, now() - interval '3 days', now(), now() + interval '20 days'
         FROM users WHERE id = $1`,
        [user.id, 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Safari/604.1'],
      )
      await call(stage, 'apiKeys.create', { name: 'nightly backup', scopes: ['uploads:write', 'files:read'] })
      await open(stage, '/settings/notifications')
    },
    'remove-device-dialog': async (stage) => {
      await press(stage, /^Remove The tablet/)
      await dialog(stage.page).waitFor()
    },
    'settings-api-keys': (stage) => open(stage, '/settings/api-keys'),
    'api-key-form': async (stage) => {
      await press(stage, 'New API key')
      await stage.page.getByLabel('Key name').waitFor()
      await stage.page.getByLabel('Key name').fill('photos of the harbour')
      await stage.page.getByLabel('Upload files').uncheck()
      await press(stage, 'Create key')
      await stage.page.getByText('Choose at least one permission').waitFor()
    },
    'api-key-once': async (stage) => {
      await stage.page.getByLabel('Upload files').check()
      await press(stage, 'Create key')
      await stage.page.getByRole('region', { name: 'Your new API key' }).waitFor()
    },
    'confirm-sign-in-dialog': async (stage) => {
      await press(stage, 'Done')
      await askToSignIn(stage, 'New API key', 'Create key')
    },
    'confirm-sign-in-wrong-dialog': async ({ page }) => {
      await dialog(page).getByLabel('Password').fill('wrong')
      await page.keyboard.press('Enter')
      await page.getByText('Wrong password.').waitFor()
    },
    'confirm-sign-in-canceled': async ({ page }) => {
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
    },
    'revoke-api-key-dialog': async (stage) => {
      await press(stage, 'Revoke nightly backup')
      await dialog(stage.page).waitFor()
    },
    'settings-security': (stage) => open(stage, '/settings/security'),
    'sign-out-everywhere-dialog': async (stage) => {
      await press(stage, 'Sign out everywhere')
      await dialog(stage.page).waitFor()
    },
    'delete-account-dialog': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await press(stage, 'Delete account')
      await dialog(stage.page).waitFor()
    },
    'change-password-fault': async (stage) => {
      const { page } = stage
      await page.keyboard.press('Escape')
      await page.getByLabel('Current password').fill('wrong')
      await page.getByLabel('New password').fill('another password altogether')
      await press(stage, 'Change password')
      await page.getByText('The current password is wrong.').waitFor()
    },
  },
}
