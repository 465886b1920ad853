// Compares the client's copy of the router's type with the router.

import { readFile } from 'node:fs/promises'
import type { AppRouter as ClientRouter } from '@pigeonhole/client'
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { expect, expectTypeOf, test } from 'vitest'
import { clientRouterSource } from '../../src/cli/client-types.ts'
import type { AppRouter as ServerRouter } from '../../src/server/api/trpc/router.ts'

test('inputs, outputs and errors match the server (checked by `npm run typecheck`)', () => {
  expectTypeOf<inferRouterInputs<ClientRouter>>().toEqualTypeOf<inferRouterInputs<ServerRouter>>()
  expectTypeOf<inferRouterOutputs<ClientRouter>>().toEqualTypeOf<inferRouterOutputs<ServerRouter>>()
  expectTypeOf<inferRouterError<ClientRouter>>().toEqualTypeOf<inferRouterError<ServerRouter>>()
})

test('matches the output of `npm run client:types`', async () => {
  const committed = new URL('../../packages/client/src/router.ts', import.meta.url)
  expect(await clientRouterSource()).toBe(await readFile(committed, 'utf8'))
})
