import { randomUUID } from 'node:crypto'
import { holdNewestFile, seedFiles } from '../../support/seed-files.ts'
import { askToSignIn, dialog, open, post, press, type SceneGroup, type Stage, send } from '../scene.ts'
import { openLink } from './sign-in.ts'

const LONG_EMAIL = 'grace.brewster.murray.hopper.of.the.navy@compilers.research.example.org'

/** Opens the page and waits until its lists are loaded. */
async function admin(stage: Stage, path: string): Promise<void> {
  await open(stage, `/admin/${path}`)
  await stage.page.waitForFunction(
    () => !/Loading…|Wird geladen…/.test(document.querySelector('main')?.innerText ?? ''),
  )
}

/** Adds eight files of the user. The newest is held. */
async function addFiles({ stack, user }: Stage): Promise<void> {
  await seedFiles(stack.databaseUrl, user.id, 8)
  await holdNewestFile(stack.query, user.id)
  await stack.query(
    `UPDATE files SET policy = 'invoice', expires_at = now() + interval '1 day',
       data = '{"order": "A1", "customer": "The northern data centre of the shop", "pages": 12}'
     WHERE state = 'HELD'`,
  )
}

const HALF = 'Half of it is sent'

/** Adds a broadcast that has been sent, a scheduled one, and one that is being sent. */
async function addBroadcasts(stage: Stage): Promise<void> {
  const { stack } = stage
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  await send(stage, { title: 'Storm', body: 'b', all: true })
  await send(stage, { title: 'Tomorrow', body: 'b', all: true, sendAt })
  const body = 'Strong winds from 18:00. Bring everything inside, and close the windows on the western side.'
  const link = 'https://example.com/storm'
  // Scheduled, so that it is not sent before it has its counts.
  const soon = new Date(Date.now() + 60_000).toISOString()
  const { id } = await send(stage, { title: HALF, body, link, all: true, sendAt: soon })
  await stack.query(
    `UPDATE push_messages SET scheduled = false, status = 'sending', send_at = now(), user_id = NULL, audience_ios = 500,
     sent = 480, failed = 15, removed = 5, failures = '[{"deviceId":"x","platform":"ios","reason":"TopicDisallowed"}]' WHERE id = $1`,
    [id],
  )
  await stack.query(
    `INSERT INTO push_message_chunks (message_id, upstream, last_id, due_at)
     VALUES ($1, 'ios', $1, now() + interval '1 hour')`,
    [id],
  )
}

/** Adds the devices that failed to the broadcasts that are being sent. */
async function addFailures({ stack, user }: Stage): Promise<void> {
  await stack.query(
    `INSERT INTO push_failures (message_id, device_id, user_id, platform, reason)
     SELECT m.id, gen_random_uuid(), CASE WHEN n < 3 THEN $1::uuid END, 'ios',
       (ARRAY['TopicDisallowed', 'TIMEOUT', 'PayloadTooLarge'])[n]
     FROM push_messages m, generate_series(1, 3) AS n WHERE status = 'sending'`,
    [user.id],
  )
}

async function addEndedWebhook({ stack }: Stage): Promise<void> {
  await stack.query(
    `INSERT INTO webhooks (id, url, events, secret, ended_at, active)
     VALUES (gen_random_uuid(), 'https://old.example.com/hooks', '{file.ready,push.completed}', 'whsec_x',
       now() - interval '2 hours', false)`,
  )
}

/** Adds deliveries to the active webhooks: one that succeeded, then one that failed for 72 hours, and one that is retried. */
async function addDeliveries({ stack }: Stage): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const attempt = (hours: number, httpStatus: number | null, failure: string | null, durationMs: number) => ({
    ...{ at: hoursAgo(hours), httpStatus, failure, durationMs },
  })
  const noHost = 'the host name was not found'
  const deliveries = [
    { status: 'delivered', attempts: [attempt(99, 204, null, 64)] },
    {
      status: 'failed',
      attempts: [
        attempt(76, null, 'no response within 10 s', 10_003),
        attempt(64, 301, 'answered 301: redirects are not followed', 412),
        attempt(4, 500, 'answered 500', 87),
      ],
    },
    { status: 'pending', attempts: [attempt(2, null, noHost, 12), attempt(0.2, null, noHost, 9)] },
  ]
  await stack.query(`UPDATE webhooks SET created_at = now() - interval '30 days'`)
  for (const [index, { status, attempts }] of deliveries.entries()) {
    const [first, last] = [attempts[0]!, attempts.at(-1)!]
    await stack.query(
      `INSERT INTO webhook_deliveries
         (webhook_id, id, sequence, type, data, created_at, status, attempts, due_at, expires_at, last_attempt_at,
          http_status, failure, settled_at, history)
       SELECT id, gen_random_uuid(), $1, 'device.removed', '{}', $2::timestamptz, $3::delivery_status, $4,
         now() + interval '1 hour', $2::timestamptz + interval '72 hours', $5::timestamptz, $6, $7,
         CASE WHEN $3 <> 'pending' THEN $5::timestamptz END, $8::jsonb
       FROM webhooks WHERE active`,
      [
        ...[index + 1, first.at, status, attempts.length, last.at, last.httpStatus, last.failure],
        JSON.stringify(attempts),
      ],
    )
  }
  await stack.query(`UPDATE webhooks SET failing_since = $1 WHERE active`, [hoursAgo(76)])
}

export const adminScenes: SceneGroup = {
  as: 'demo user',
  scenes: {
    'admin-users': async (stage) => {
      const { stack } = stage
      const { id } = await stack.newUser({ email: LONG_EMAIL, name: 'Rear Admiral Grace Hopper' })
      await stack.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
      for (let i = 0; i < 6; i++) await stack.newUser({ email: `user-${i}@example.com`, name: `User ${i}` })
      await admin(stage, 'users')
    },
    'admin-user-form-dialog': async (stage) => {
      await press(stage, 'New user')
      await stage.page.getByLabel(/^Name/).waitFor()
    },
    'admin-user-form-faults-dialog': async (stage) => {
      await press(stage, 'Create user')
      await stage.page.getByText('Enter an email address.').waitFor()
    },
    'admin-users-none': async (stage) => {
      await admin(stage, 'users')
      await stage.page.getByLabel('Email, name or ID').fill('nobody at all')
      await stage.page.keyboard.press('Enter')
      await stage.page.getByText('No users match these filters').waitFor()
    },
    'admin-user': async (stage) => {
      const { rows } = (await stage.stack.query('SELECT id FROM users WHERE email = $1', [LONG_EMAIL])) as {
        rows: { id: string }[]
      }
      await admin(stage, `users/${rows[0]!.id}`)
    },
    'admin-user-menu': async (stage) => {
      await press(stage, 'More actions')
      await stage.page.getByRole('menu').waitFor()
    },
    'admin-user-password': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await press(stage, 'More actions')
      await stage.page.getByRole('menuitem', { name: 'Set password' }).click()
      await press(stage, 'Set password')
      await stage.page.getByText('Enter a password of 12 to 128 characters.').waitFor()
    },
    'admin-role-dialog': async (stage) => {
      await press(stage, 'Cancel')
      await press(stage, 'More actions')
      await stage.page.getByRole('menuitem', { name: 'Make administrator' }).click()
      await dialog(stage.page).waitFor()
    },
    'admin-delete-user-dialog': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await press(stage, 'More actions')
      await stage.page.getByRole('menuitem', { name: 'Delete user' }).click()
      await dialog(stage.page).waitFor()
    },
    'admin-user-missing': (stage) => admin(stage, `users/${randomUUID()}`),
    'admin-files': async (stage) => {
      await addFiles(stage)
      await admin(stage, 'files')
    },
    'admin-file': async (stage) => {
      await stage.page.getByRole('link', { name: 'report 00001.pdf' }).click()
      await stage.page.getByRole('heading', { name: 'report 00001.pdf' }).waitFor()
    },
    'admin-reject-file-dialog': async (stage) => {
      await press(stage, /^Reject/)
      await dialog(stage.page).waitFor()
    },
    'admin-files-none': async (stage) => {
      await admin(stage, 'files')
      await press(stage, 'Filters')
      await stage.page.getByLabel('App data').fill('order=A2')
      await stage.page.keyboard.press('Enter')
      await stage.page.getByText('No files match these filters').waitFor()
    },
    'admin-server-keys-empty': (stage) => admin(stage, 'server-keys'),
    'admin-server-key-form': async (stage) => {
      await press(stage, 'New server key')
      await stage.page.getByLabel('Create user tokens').uncheck()
      await stage.page.getByLabel('Key name').fill('backend of the shop in the northern data centre')
      await press(stage, 'Create key')
      await stage.page.getByText('Choose at least one permission').waitFor()
    },
    'admin-server-key-once': async (stage) => {
      await stage.page.getByLabel('Create user tokens').check()
      await press(stage, 'Create key')
      await stage.page.getByRole('region', { name: 'The new server key' }).waitFor()
    },
    'admin-server-keys': (stage) => press(stage, 'Done'),
    'admin-push-tokens': (stage) => admin(stage, 'push-tokens'),
    'admin-push-tokens-none': async (stage) => {
      await stage.page.getByLabel('Status').selectOption('Revoked')
      await stage.page.getByText('No push tokens match these filters').waitFor()
    },
    'admin-push-token-form': async (stage) => {
      await press(stage, 'New push token')
      await stage.page.getByLabel('Owner (email or ID)').fill('nobody@example.com')
      await stage.page.getByLabel('Token name').fill('siren')
      await press(stage, 'Create token')
      await stage.page.getByText('User not found. Check the email or ID.').waitFor()
    },
    'admin-push-token-once': async (stage) => {
      const { page, user } = stage
      await page.getByLabel('Owner (email or ID)').fill(user.email)
      await page.getByLabel('Token name').fill('siren of the northern data centre')
      await press(stage, 'Create token')
      await page.getByRole('region', { name: 'The new push token' }).waitFor()
    },
    'admin-revoke-dialog': async (stage) => {
      // Without the filter of an earlier scene.
      await admin(stage, 'push-tokens')
      await press(stage, /^Revoke siren/)
      await dialog(stage.page).waitFor()
    },
    'admin-broadcasts': async (stage) => {
      await addBroadcasts(stage)
      await admin(stage, 'broadcasts')
    },
    'admin-cancel-dialog': async (stage) => {
      await press(stage, 'Cancel message: Tomorrow')
      await dialog(stage.page).waitFor()
    },
    'admin-broadcast': async (stage) => {
      const { page } = stage
      await addFailures(stage)
      await admin(stage, 'broadcasts')
      await page.getByRole('link', { name: 'Half of it is sent' }).click()
      await page.getByText('PayloadTooLarge').first().waitFor()
      await page.getByText('Failed devices').click()
      await page.getByRole('list', { name: 'Failed devices' }).getByText('PayloadTooLarge').waitFor()
    },
    'admin-health': async (stage) => {
      await admin(stage, 'health')
    },
    'admin-health-all-checks': async (stage) => {
      await press(stage, 'Check now')
      await stage.page
        .getByText('store-delete-objects', { exact: true })
        .waitFor({ state: 'attached', timeout: 90_000 })
      for (const one of await stage.page.locator('summary').all()) await one.click()
    },
    'admin-health-problems': async (stage) => {
      const { stack } = stage
      await stack.query("INSERT INTO push_circuit_breakers (upstream, open) VALUES ('ios-sandbox', true)")
      await stack.query(
        `INSERT INTO webhooks (id, url, events, secret, failing_since)
         VALUES (gen_random_uuid(), 'https://old.example.com/', '{file.ready}', 'x', now() - interval '1 day')`,
      )
      await admin(stage, 'health')
      // The results that came with the HTML can be older.
      await press(stage, 'Check now')
      await stage.page.getByRole('link', { name: 'old.example.com' }).waitFor({ timeout: 90_000 })
      await stack.query('DELETE FROM webhooks')
      await stack.query('DELETE FROM push_circuit_breakers')
    },
    'admin-webhooks-empty': (stage) => admin(stage, 'webhooks'),
    'admin-webhook-form': async (stage) => {
      const { page } = stage
      await press(stage, 'New webhook')
      await page.getByLabel('URL').fill('http://127.0.0.1/hooks')
      await page.getByLabel('A device was removed').check()
      await press(stage, 'Create webhook')
      await page.getByText('Enter a public HTTPS URL').waitFor()
    },
    'admin-webhook-once': async (stage) => {
      const { page } = stage
      await page
        .getByLabel('URL')
        .fill('https://backend.of-the-northern-data-centre.invalid/hooks/pigeonhole')
      await page.getByLabel('Description').fill('Stock service: removed devices')
      await press(stage, 'Create webhook')
      await page.getByRole('region', { name: 'The new webhook’s secret' }).waitFor()
    },
    'admin-webhooks': async (stage) => {
      await press(stage, 'Done')
      await addEndedWebhook(stage)
      await admin(stage, 'webhooks')
    },
    'admin-webhook': async (stage) => {
      const { page } = stage
      await addDeliveries(stage)
      await page.getByRole('link', { name: /northern-data-centre/ }).click()
      await page.getByRole('list', { name: 'Deliveries' }).getByText('device.removed').first().waitFor()
      await page.locator('summary').nth(1).click()
    },
    'admin-delete-webhook-dialog': async (stage) => {
      await press(stage, 'More actions')
      await stage.page.getByRole('menuitem', { name: 'Delete webhook' }).click()
      await dialog(stage.page).waitFor()
    },
    'admin-audit': async (stage) => {
      await admin(stage, 'audit')
      await stage.page.locator('main li summary').nth(1).click()
    },
    'admin-audit-none': async (stage) => {
      await press(stage, 'Filters')
      await stage.page.getByLabel('From', { exact: true }).fill('2030-01-01')
      await stage.page.keyboard.press('Enter')
      await stage.page.getByText('No entries match these filters').waitFor()
    },
    'admin-list-fails': async (stage) => {
      const { page } = stage
      const error = { error: { code: 'INTERNAL_SERVER_ERROR', message: 'no' }, requestId: randomUUID() }
      await page.route(/\/api\/admin\/audit/, (route) => route.fulfill({ status: 500, json: error }))
      await open(stage, '/admin/audit')
      await page.getByLabel('Action').selectOption('admin.called')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
  },
}

/** Scenes of empty pages. */
export const adminEmpty: SceneGroup = {
  as: 'demo user',
  scenes: {
    'admin-broadcasts-empty': async (stage) => {
      const { stack } = stage
      for (const table of ['push_messages', 'push_tokens', 'webhooks'])
        await stack.query(`DELETE FROM ${table}`)
      await admin(stage, 'broadcasts')
    },
    'admin-push-tokens-empty': (stage) => admin(stage, 'push-tokens'),
  },
}

export const errors: SceneGroup = {
  scenes: {
    'not-found': async ({ page, stack }) => {
      await page.goto(`${stack.url}/no-such-page`)
    },
    'page-failed': async (stage) => {
      await open(stage, '/settings')
      await stage.stack.query('ALTER TABLE push_messages RENAME TO push_messages_away')
      await stage.page.getByRole('navigation').first().getByRole('link', { name: 'Messages' }).click()
      await stage.page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await stage.stack.query('ALTER TABLE push_messages_away RENAME TO push_messages')
    },
  },
}

/** German has the longest words: no picture can have truncated text. */
export const german: SceneGroup = {
  as: 'demo user',
  locale: 'de-AT',
  scenes: Object.fromEntries(
    [
      ...[
        '/',
        '/messages',
        '/messages/sent',
        '/messages/new',
        ...['', '/profile', '/notifications', '/api-keys', '/security'].map((path) => `/settings${path}`),
        '/admin/users',
        '/admin/files',
        '/admin/server-keys',
        '/admin/push-tokens',
      ],
      ...['/admin/broadcasts', '/admin/webhooks', '/admin/health', '/admin/audit'],
    ].map((path) => [
      `german${path.replaceAll('/', '-')}`,
      async (stage: Stage) => {
        await open(stage, path)
        await stage.page.getByRole('main').getByText('Wird geladen…').waitFor({ state: 'detached' })
        for (const name of [
          /^Neuer Schlüssel/,
          /^Neues Push-Token/,
          /^Neuer Webhook/,
          /^Neuer API-Schlüssel/,
          'Speicherdetails',
        ])
          if (await stage.page.getByRole('button', { name }).count()) await press(stage, name)
        await stage.page.locator('summary').evaluateAll((all) => {
          for (const one of all) (one as HTMLElement).click()
        })
      },
    ]),
  ),
}

export const germanSettings: SceneGroup = {
  locale: 'de-AT',
  scenes: {
    'german-confirm-sign-in-dialog': async (stage) => {
      await open(stage, '/settings/api-keys')
      await askToSignIn(stage, 'Neuer API-Schlüssel', 'Schlüssel erstellen')
    },
    'german-sign-in-again': (stage) => open(stage, '/sign-in-again'),
  },
}

export const germanSignIn: SceneGroup = {
  as: 'nobody',
  locale: 'de-AT',
  scenes: {
    'german-sign-in': (stage) => open(stage, '/signin?error=OAuthAccountNotLinked'),
    'german-sign-up': (stage) => open(stage, '/signup'),
    'german-forgot-password': (stage) => open(stage, '/forgot-password'),
    'german-reset-password': async (stage) => {
      await openLink(stage, 'reset')
      await stage.page.getByText('@example.com').waitFor()
    },
    'german-verify-email': async (stage) => {
      await openLink(stage, 'verify')
      await stage.page.getByText('@example.com').waitFor()
    },
  },
}

const GERMAN_NAME = 'Magdalena von Hohenberg'
const GERMAN_EMAIL = 'magdalena.freifrau.von.und.zu.hohenberg@rechenzentrum.example.org'

/** The filled pages for administrators, the filled list of sent messages, and the dialog for shared links, in German. */
export const germanFilled: SceneGroup = {
  as: 'demo user',
  locale: 'de-AT',
  scenes: {
    'german-filled-users': async (stage) => {
      const { stack } = stage
      const { id } = await stack.newUser({ email: GERMAN_EMAIL, name: GERMAN_NAME })
      await stack.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
      await stack.newUser({ email: 'user@example.com', name: 'User' })
      await admin(stage, 'users')
    },
    'german-filled-new-user-dialog': async (stage) => {
      await press(stage, 'Neues Konto')
      await dialog(stage.page).waitFor()
    },
    'german-filled-user': async (stage) => {
      await stage.page.keyboard.press('Escape')
      await stage.page.getByRole('link', { name: GERMAN_NAME }).click()
      await stage.page.getByRole('heading', { level: 1, name: GERMAN_NAME }).waitFor()
    },
    'german-filled-delete-user-dialog': async (stage) => {
      await press(stage, 'Weitere Aktionen')
      await stage.page.getByRole('menuitem', { name: 'Konto löschen' }).click()
      await dialog(stage.page).waitFor()
    },
    'german-filled-files': async (stage) => {
      await addFiles(stage)
      await admin(stage, `files?user=${stage.user.id}`)
    },
    'german-filled-file': async (stage) => {
      await stage.page.getByRole('link', { name: 'report 00001.pdf' }).first().click()
      await stage.page.getByRole('heading', { name: 'report 00001.pdf' }).waitFor()
    },
    'german-filled-share-dialog': async (stage) => {
      await open(stage, '/')
      await stage.page
        .getByRole('button', { name: /teilen$/ })
        .first()
        .click()
      await press(stage, 'Link erstellen und kopieren')
      await stage.page.getByText('Läuft nach 7 Tagen ab').click()
    },
    'german-filled-server-keys': async (stage) => {
      const key = { name: 'backend of the shop', scopes: ['users:read', 'files:verdict'], expiresInDays: 30 }
      await post(stage, '/api/admin/server-keys', stage.stack.adminSecret, key)
      await admin(stage, 'server-keys')
    },
    'german-filled-push-tokens': async (stage) => {
      const token = { userId: stage.user.id, name: 'siren of the northern data centre', expiresInDays: 3 }
      await post(stage, '/api/push/token', stage.stack.adminSecret, token)
      await admin(stage, 'push-tokens')
    },
    'german-filled-revoke-dialog': async (stage) => {
      await press(stage, /^siren .* widerrufen/)
      await dialog(stage.page).waitFor()
    },
    'german-filled-broadcasts': async (stage) => {
      await addBroadcasts(stage)
      await addFailures(stage)
      await admin(stage, 'broadcasts')
    },
    'german-filled-scheduled-broadcast': async (stage) => {
      await stage.page.getByRole('link', { name: 'Tomorrow' }).first().click()
      await stage.page.getByRole('heading', { level: 1, name: 'Tomorrow' }).waitFor()
    },
    'german-filled-broadcast': async (stage) => {
      await admin(stage, 'broadcasts')
      await stage.page.getByRole('link', { name: HALF }).first().click()
      await stage.page.getByText('PayloadTooLarge').first().waitFor()
      await openAll(stage)
    },
    'german-filled-sent': async (stage) => {
      await open(stage, '/messages/sent')
      await stage.page.getByRole('list', { name: 'Von Ihnen gesendet' }).waitFor()
      await stage.page.locator('main li [aria-expanded=false]:not([aria-haspopup])').evaluateAll((all) => {
        for (const one of all) (one as HTMLElement).click()
      })
    },
    'german-filled-webhooks': async (stage) => {
      const url = 'https://backend.of-the-northern-data-centre.invalid/hooks/pigeonhole'
      await post(stage, '/api/admin/webhooks', stage.stack.adminSecret, { url, events: ['device.removed'] })
      await addEndedWebhook(stage)
      await addDeliveries(stage)
      await admin(stage, 'webhooks')
    },
    'german-filled-webhook': async (stage) => {
      await stage.page
        .getByRole('link', { name: /northern-data-centre/ })
        .first()
        .click()
      await stage.page
        .getByRole('list', { name: 'Zustellungen' })
        .getByText('device.removed')
        .first()
        .waitFor()
      await openAll(stage)
    },
    'german-filled-health': async (stage) => {
      await admin(stage, 'health')
      await openAll(stage)
    },
    'german-filled-audit': async (stage) => {
      await admin(stage, 'audit')
      await openAll(stage)
    },
  },
}

async function openAll({ page }: Stage): Promise<void> {
  await page.locator('main details:not([open]) > summary').evaluateAll((all) => {
    for (const one of all) (one as HTMLElement).click()
  })
}
