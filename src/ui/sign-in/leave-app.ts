import type { Client } from '@pigeonhole/client'
import { leaveAccount } from './leave-account.ts'

/** Signs out on a page that loads the script of web push only now: see leaveAccount(). */
export const leaveApp = (client: Client): Promise<boolean> =>
  leaveAccount(async () => {
    const { disableWebPush } = await import('@pigeonhole/client/push')
    await disableWebPush({ client })
  })
