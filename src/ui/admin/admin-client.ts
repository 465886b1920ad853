import { createAdminClient } from '@pigeonhole/client/admin'

/** Client of the admin API, which sends the page's session cookie. */
export const admin = createAdminClient()
