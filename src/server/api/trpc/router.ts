import { accountRouter, apiKeysRouter, sessionRouter } from './account.ts'
import { devicesRouter, preferencesRouter, topicsRouter } from './devices.ts'
import { filesRouter, sharesRouter } from './files.ts'
import { router } from './init.ts'
import { messagesRouter, templatesRouter } from './messages.ts'
import { passkeysRouter } from './passkeys.ts'
import { uploadRouter } from './upload.ts'

export const appRouter = router({
  account: accountRouter,
  apiKeys: apiKeysRouter,
  passkeys: passkeysRouter,
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
