import { initTRPC, TRPCError } from '@trpc/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { callProcedure } from '../../src/server/api/trpc/call-procedure.ts'

type Context = { user: string; seen: string[] }

const t = initTRPC.context<Context>().meta<{ scope: string }>().create()

/** Procedures that use every feature of middlewares that ours use, with tRPC's caller or with ours. */
function routerWith(base: typeof t.procedure) {
  const outer = base.meta({ scope: 'read' }).use(async ({ ctx, meta, path, next }) => {
    ctx.seen.push(`${path} ${meta?.scope} before`)
    const result = await next({ ctx: { level: 1 } })
    ctx.seen.push(result.ok ? 'ok' : `${result.error.code} ${(result.error.cause as Error)?.message}`)
    return result
  })
  const filled = outer.use(({ getRawInput, next }) =>
    next({ getRawInput: async () => ({ filled: true, ...((await getRawInput()) as object) }) }),
  )
  return t.router({
    context: outer.query(({ ctx }) => ({ user: ctx.user, level: ctx.level })),
    input: filled
      .input(z.looseObject({ name: z.string() }))
      .input(z.looseObject({ filled: z.boolean() }))
      .output(z.object({ name: z.string(), filled: z.boolean() }))
      .mutation(({ input }) => input as { name: string; filled: boolean }),
    replaced: outer
      .use(({ next }) => next({ input: undefined } as never))
      .query(({ input }) => input ?? 'none'),
    badOutput: outer.output(z.string()).query(() => 1 as unknown as string),
    throws: outer.query(() => {
      throw new Error('a plain error')
    }),
    rejects: outer
      .use(() => {
        throw new TRPCError({ code: 'FORBIDDEN', message: 'not you' })
      })
      .query(() => 1),
    forgets: outer.use((async () => undefined) as never).query(() => 1),
  })
}

const theirs = routerWith(t.procedure)
const ours = routerWith(t.procedure.experimental_caller(callProcedure) as unknown as typeof t.procedure)

/** Returns what a call resolves or rejects with, and what its middlewares have seen. */
async function outcomeOf(router: typeof ours, path: string, input: unknown) {
  const ctx: Context = { user: 'ada', seen: [] }
  const procedure = router._def.procedures[path as 'context']
  const call = procedure({
    ctx,
    path,
    type: procedure._def.type,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  })
  const result = await call.then(
    (data: unknown) => ({ data }),
    (error: TRPCError) => ({ code: error.code, message: error.message, cause: error.cause?.name }),
  )
  return { result, seen: ctx.seen }
}

describe('a procedure called by our caller does the same as by tRPC’s', () => {
  test.each([
    ['context', undefined],
    ['input', { name: 'a', more: 1 }],
    ['input', { name: 1 }],
    ['replaced', 'something'],
    ['badOutput', undefined],
    ['throws', undefined],
    ['rejects', undefined],
  ])('%s %j', async (path, input) => {
    expect(await outcomeOf(ours, path, input)).toEqual(await outcomeOf(theirs, path, input))
  })

  test('the comparison sees contexts, inputs and errors', async () => {
    expect(await outcomeOf(ours, 'context', undefined)).toMatchObject({
      result: { data: { user: 'ada', level: 1 } },
      seen: ['context read before', 'ok'],
    })
    expect(await outcomeOf(ours, 'input', { name: 'a' })).toMatchObject({
      result: { data: { name: 'a', filled: true } },
    })
    expect(await outcomeOf(ours, 'throws', undefined)).toMatchObject({
      result: { code: 'INTERNAL_SERVER_ERROR', cause: 'Error' },
      seen: ['throws read before', 'INTERNAL_SERVER_ERROR a plain error'],
    })
  })

  test('a middleware that does not return next() is an error', async () => {
    const { result } = await outcomeOf(ours, 'forgets', undefined)
    expect(result).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
  })
})
