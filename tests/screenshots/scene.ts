// What a scene is, and what scenes do on the page.

import type { Page } from 'playwright-core'
import { throttle as throttlePage } from '../e2e/support/page.ts'
import { callProcedure } from '../support/app/trpc-call.ts'
import type { TestUser } from '../support/users.ts'
import type { LocalStack } from './local-stack.ts'

export type Stage = { page: Page; stack: LocalStack; user: TestUser }

/** Brings the page into a state; the scenes of a group follow one another on one page. */
export type Scene = (stage: Stage) => Promise<unknown>

export type SceneGroup = {
  /** Whose session the page has: a new user's (default), the demo user's, who is an administrator, or none. */
  as?: 'new user' | 'demo user' | 'nobody'
  locale?: string
  scenes: Record<string, Scene>
}

export const throttle = throttlePage

/** Opens a page of the app, hydrated if it is one for users. */
export async function open({ page, stack }: Stage, path: string): Promise<void> {
  await page.goto(stack.url + path)
  if (!/^\/(sign|forgot|reset|verify|s\/)/.test(path)) await page.locator('html[data-ready]').waitFor()
  await page.waitForLoadState('networkidle')
}

/** Calls a procedure in the user's name. */
// biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers
export async function call({ stack, user }: Stage, procedure: string, input?: unknown): Promise<any> {
  const { error, data } = await callProcedure(fetch, user, procedure, input, stack.url)
  if (error) throw new Error(`${procedure}: ${error.code} ${error.message}`)
  return data
}

/** JSON to an endpoint; returns the answer. @throws Error when it is refused */
export async function post(
  { stack }: Stage,
  path: string,
  bearer: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API answers
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

export async function press({ page }: Stage, name: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
    .first()
    .click()
}
