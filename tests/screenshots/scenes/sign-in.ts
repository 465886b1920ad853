import { randomUUID } from 'node:crypto'
import { open, press, type SceneGroup, type Stage } from '../scene.ts'

/** Token in the fragment of the URL, as in emails. */
const TOKEN = 'no-such-token-but-one-of-the-right-form-000'

/** Opens a working link that sets a new password, or verifies an email. */
export async function openLink(stage: Stage, purpose: 'reset' | 'verify'): Promise<void> {
  const token = randomUUID()
  await stage.stack.query(
    `INSERT INTO email_tokens (hash, user_id, purpose, created_at, expires_at)
     SELECT encode(sha256($1::bytea), 'hex'), id, $2::email_token_purpose, now(), now() + interval '1 hour'
     FROM users WHERE email LIKE '%@example.com' LIMIT 1`,
    [Buffer.from(token), purpose],
  )
  // A page that changes only after # would not load again.
  await open(stage, '/forgot-password')
  await open(stage, `/${purpose === 'reset' ? 'reset-password' : 'verify-email'}#${token}`)
}

export const signIn: SceneGroup = {
  as: 'nobody',
  scenes: {
    'sign-in': (stage) => open(stage, '/signin'),
    'sign-in-error': (stage) => open(stage, '/signin?error=CredentialsSignin'),
    'sign-in-long-error': (stage) => open(stage, '/signin?error=OAuthAccountNotLinked'),
    'sign-up': (stage) => open(stage, '/signup'),
    'sign-up-errors': async (stage) => {
      const { page } = stage
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Password').fill(' '.repeat(12))
      await press(stage, 'Create account')
      await page.getByText('not just spaces').waitFor()
    },
    'forgot-password': (stage) => open(stage, '/forgot-password'),
    'forgot-password-sent': async (stage) => {
      await stage.page.getByLabel('Email').fill('ada.with.a.long.name@research.example.org')
      await press(stage, 'Email me a link')
      await stage.page.getByText('an email is on its way').waitFor()
    },
    'reset-password': async (stage) => {
      await openLink(stage, 'reset')
      await stage.page.getByText('@example.com').waitFor()
    },
    'reset-password-over': async (stage) => {
      await open(stage, '/forgot-password')
      await open(stage, `/reset-password#${TOKEN}`)
      await stage.page.getByText('no longer works').waitFor()
    },
    'verify-email': async (stage) => {
      await openLink(stage, 'verify')
      await stage.page.getByText('@example.com').waitFor()
    },
    'verify-email-over': async (stage) => {
      await open(stage, '/forgot-password')
      await open(stage, `/verify-email#${TOKEN}`)
      await stage.page.getByText('no longer works').waitFor()
    },
  },
}

/** Scenes of a user who has just signed up and not yet used the emailed link. */
export const signedUp: SceneGroup = {
  as: 'nobody',
  scenes: {
    'verify-email-banner': async (stage) => {
      const { page } = stage
      await open(stage, '/signup')
      await page.getByLabel('Name').fill('Ada')
      await page.getByLabel('Email').fill(`ada.lovelace.${Date.now()}@example.com`)
      await page.getByLabel('Password').fill('a password for pictures')
      await press(stage, 'Create account')
      await page.getByRole('button', { name: 'Resend email' }).first().waitFor()
      await page.locator('html[data-ready]').waitFor()
    },
    'verify-email-signed-in': async (stage) => {
      await open(stage, `/verify-email#${TOKEN}`)
      await stage.page.getByRole('button', { name: 'Yes, confirm' }).waitFor()
    },
    mailbox: async ({ page, stack }) => {
      await page.goto(stack.mailboxUrl)
      await page.getByRole('listitem').first().getByRole('button').click()
      await page.frameLocator('iframe').getByRole('link').first().waitFor()
    },
    'mailbox-empty': async ({ page }) => {
      await page.getByRole('button', { name: 'Empty mailbox' }).click()
      await page.getByText('No emails yet').waitFor()
    },
  },
}
