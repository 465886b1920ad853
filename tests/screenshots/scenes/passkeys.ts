import type { CDPSession, Page } from 'playwright-core'
import { open, press, type SceneGroup, type Stage } from '../scene.ts'

let authenticator: { devtools: CDPSession; id: string }

/** Adds a virtual authenticator, which answers for a verified user. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId: id } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  authenticator = { devtools, id }
}

const verify = (isUserVerified: boolean) =>
  authenticator.devtools.send('WebAuthn.setUserVerified', {
    authenticatorId: authenticator.id,
    isUserVerified,
  })

/** The card without and with a passkey, and the next step of a sign-in. */
function scenes(
  suffix: string,
  texts: { add: string; canceled: string; done: string; newCodes: string; usePasskey: string; code: string },
) {
  const named = (name: string) => `passkeys-${name}${suffix}`
  return {
    [named('empty')]: async (stage: Stage) => {
      await addAuthenticator(stage.page)
      await open(stage, '/settings/security')
      await stage.page.getByRole('button', { name: texts.add }).waitFor()
    },
    [named('failed')]: async (stage: Stage) => {
      await verify(false)
      await press(stage, texts.add)
      await stage.page.getByText(texts.canceled).waitFor()
    },
    [named('codes')]: async (stage: Stage) => {
      await verify(true)
      await press(stage, texts.add)
      await stage.page.getByRole('button', { name: texts.done }).waitFor()
    },
    [named('one')]: async (stage: Stage) => press(stage, texts.done),
    [named('confirm-dialog')]: async (stage: Stage) => {
      const { page, stack, user } = stage
      await stack.query(
        `UPDATE sessions SET created_at = created_at - interval '1 hour', authenticated_at = NULL WHERE user_id = $1`,
        [user.id],
      )
      await press(stage, texts.newCodes)
      await page.getByRole('alertdialog').getByRole('button', { name: texts.usePasskey }).waitFor()
    },
    [named('sign-in')]: async (stage: Stage) => {
      // Otherwise, the email field gets the passkey at once.
      await authenticator.devtools.send('WebAuthn.disable')
      await stage.page.context().clearCookies()
      await open(stage, '/signin')
      await stage.page.locator('[name=email]').fill(stage.user.email)
      await stage.page.locator('[name=password]').fill('a password to be changed')
      await stage.page.locator('[type=submit]').click()
      await stage.page.getByText(stage.user.email).waitFor()
    },
    [named('sign-in-code')]: async (stage: Stage) => {
      await press(stage, texts.code)
      await stage.page.locator('[name=recoveryCode]').waitFor()
    },
  }
}

export const passkeys: SceneGroup = {
  scenes: scenes('', {
    add: 'Add a passkey',
    canceled: 'The passkey request was canceled',
    done: 'Done',
    newCodes: 'Create new codes',
    usePasskey: 'Use a passkey',
    code: 'Use a recovery code',
  }),
}

export const germanPasskeys: SceneGroup = {
  locale: 'de-DE',
  scenes: scenes('-german', {
    add: 'Passkey hinzufügen',
    canceled: 'Die Passkey-Abfrage wurde abgebrochen',
    done: 'Fertig',
    newCodes: 'Neue Codes erstellen',
    usePasskey: 'Passkey verwenden',
    code: 'Wiederherstellungscode verwenden',
  }),
}
