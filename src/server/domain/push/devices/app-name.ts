import { z } from 'zod'
import { SETTINGS_NAME } from '../../../kernel/named-settings.ts'

/** App that the variables APNS_* and FIREBASE_* define, and that devices belong to unless they name another. */
export const DEFAULT_APP = 'default'

/** Name of an app. `PushApps` decides whether it is known. */
export const appName = z
  .string({ error: 'must be a string' })
  .regex(SETTINGS_NAME, 'must have 1 to 64 letters, digits, ".", "_" and "-"')
