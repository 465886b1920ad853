import { accountRouter } from './account.ts'
import { apiKeysRouter } from './api-keys.ts'
import { devicesRouter } from './devices.ts'
import { filesRouter } from './files.ts'
import { router } from './init.ts'
import { messagesRouter } from './messages.ts'
import { preferencesRouter } from './preferences.ts'
import { sessionRouter } from './session.ts'
import { sharesRouter } from './shares.ts'
import { templatesRouter } from './templates.ts'
import { topicsRouter } from './topics.ts'
import { uploadRouter } from './upload.ts'

export const appRouter = router({
  account: accountRouter,
  apiKeys: apiKeysRouter,
  preferences: preferencesRouter,
  session: sessionRouter,
  devices: devicesRouter,
  messages: messagesRouter,
  templates: templatesRouter,
  topics: topicsRouter,
  files: filesRouter,
  shares: sharesRouter,
  upload: uploadRouter,
})

export type AppRouter = typeof appRouter
