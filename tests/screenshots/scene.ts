// The type of a scene, and actions of scenes on the page.

import type { Page } from 'playwright-core'
import { throttle as throttlePage } from '../e2e/support/page.ts'
import { callProcedure } from '../support/app/trpc-call.ts'
import type { TestUser } from '../support/users.ts'
import type { LocalStack } from './local-stack.ts'

export type Stage = { page: Page; stack: LocalStack; user: TestUser }

/** Brings the page into a state. The scenes of a group run in order on one page. */
export type Scene = (stage: Stage) => Promise<unknown>

export type SceneGroup = {
  /** User of the page's session: a new user (default), the demo user, who is an administrator, or none. */
  as?: 'new user' | 'demo user' | 'nobody'
  locale?: string
  scenes: Record<string, Scene>
}

export const throttle = throttlePage

/** Opens a page of the app. Waits for hydration if it is a page for users. */
export async function open({ page, stack }: Stage, path: string): Promise<void> {
  await page.goto(stack.url + path)
  if (!/^\/(sign|forgot|reset|verify|s\/)/.test(path)) await page.locator('html[data-ready]').waitFor()
  await page.waitForLoadState('networkidle')
}

/** Calls a procedure as the user. */
// biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns
export async function call({ stack, user }: Stage, procedure: string, input?: unknown): Promise<any> {
  const { error, data } = await callProcedure(fetch, user, procedure, input, stack.url)
  if (error) throw new Error(`${procedure}: ${error.code} ${error.message}`)
  return data
}

/** Sends JSON to an endpoint and returns the response. @throws Error if it is rejected */
export async function post(
  { stack }: Stage,
  path: string,
  bearer: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns
): Promise<any> {
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

/** Sends with the demo user's push token. */
export const send = (stage: Stage, push: object) => post(stage, '/api/push/send', stage.stack.pushToken, push)

export const dialog = (page: Page) => page.getByRole('alertdialog').or(page.getByRole('dialog'))

/** Fills the form for an API key with a sign-in that is too old, which asks for the password. */
export async function askToSignIn(stage: Stage, open: string, submit: string): Promise<void> {
  const { page, stack, user } = stage
  // No password has this hash: the dialog only needs to ask for one.
  await stack.query(`UPDATE users SET password_hash = coalesce(password_hash, 'none') WHERE id = $1`, [
    user.id,
  ])
  await stack.query(
    `UPDATE sessions SET created_at = created_at - interval '1 hour', authenticated_at = NULL WHERE user_id = $1`,
    [user.id],
  )
  await press(stage, open)
  // The profile also has a name.
  await page.locator('form:has([name=days]) [name=name]').fill('photos of the harbour')
  await press(stage, submit)
  await dialog(page).locator('[type=password]').waitFor()
}

export async function press({ page }: Stage, name: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
    .first()
    .click()
}
