import { accountRouter } from './account.ts'
import { filesRouter } from './files.ts'
import { router } from './init.ts'
import { sessionRouter } from './session.ts'
import { uploadRouter } from './upload.ts'

export const appRouter = router({
  account: accountRouter,
  session: sessionRouter,
  files: filesRouter,
  upload: uploadRouter,
})

export type AppRouter = typeof appRouter
