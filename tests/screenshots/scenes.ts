import type { SceneGroup } from './scene.ts'
import {
  adminEmpty,
  adminScenes,
  errors,
  german,
  germanFilled,
  germanSettings,
  germanSignIn,
} from './scenes/admin.ts'
import { fileScenes, fullFiles } from './scenes/files.ts'
import { messages, settings } from './scenes/messages.ts'
import { germanPasskeys, passkeys } from './scenes/passkeys.ts'
import { shares } from './scenes/shares.ts'
import { signedUp, signIn } from './scenes/sign-in.ts'

/** Groups in this order: later scenes of the demo user show what earlier ones created. */
export const groups: Record<string, SceneGroup> = {
  'sign-in': signIn,
  'signed-up': signedUp,
  files: fileScenes,
  'full-files': fullFiles,
  shares,
  messages,
  settings,
  passkeys,
  admin: adminScenes,
  german,
  'german-filled': germanFilled,
  'german-settings': germanSettings,
  'german-sign-in': germanSignIn,
  'passkeys-german': germanPasskeys,
  'admin-empty': adminEmpty,
  errors,
}
