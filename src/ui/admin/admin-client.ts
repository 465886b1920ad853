import { createAdminClient } from '@pigeonhole/client/admin'

/** The admin API, with the session cookie of the page. */
export const admin = createAdminClient()
