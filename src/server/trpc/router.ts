import { accountRouter } from './account.ts'
import { router } from './init.ts'
import { sessionRouter } from './session.ts'

export const appRouter = router({ account: accountRouter, session: sessionRouter })

export type AppRouter = typeof appRouter
