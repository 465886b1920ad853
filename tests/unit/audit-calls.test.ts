import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import type { Operation } from '../../src/server/api/http/operation.ts'
import { CALLS_WITHOUT_NEWS } from '../../src/server/domain/accounts/audit-trail.ts'
import { AUDIT_CALL_NAMES } from '../../src/ui/i18n/messages/audit-actions.ts'

type Route = { operation?: Pick<Operation, 'method' | 'path'> }

/** Returns the changes that the admin API offers, as in `POST /api/admin/users`. */
async function changes(): Promise<string[]> {
  const files = globSync('src/app/api/admin/**/route.ts', { cwd: ROOT })
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(ROOT, file)).href)) as Record<string, Route>),
  )
  return modules
    .flatMap((module) => Object.values(module).flatMap(({ operation }) => operation ?? []))
    .filter(({ method }) => method.toUpperCase() !== 'GET')
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
}

test('the audit log names each change through the admin API, unless the change has its own entry', async () => {
  const routes = await changes()
  expect(routes.length).toBeGreaterThan(10)
  const hasOwnEntry = (route: string) => CALLS_WITHOUT_NEWS.some((pattern) => new RegExp(pattern).test(route))
  const named = routes
    .filter((route) => !hasOwnEntry(route))
    .map((route) => route.replace(/\{\w+\}/g, '{id}'))
  expect(named.sort()).toEqual(Object.keys(AUDIT_CALL_NAMES.en).sort())
})
