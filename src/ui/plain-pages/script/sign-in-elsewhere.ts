import { createClient } from '@pigeonhole/client'
import { disableWebPush } from '@pigeonhole/client/push'
import type { Translator } from '../../i18n/translator.ts'
import { leaveAccount } from '../../sign-in/leave-account.ts'
import { loadPage } from '../../sign-in/load-page.ts'
import type { PageData } from '../page-data.ts'
import type { Rejection } from './form.ts'

/** Returns a function that signs out and opens the sign-in page, which leads back to this page. */
export function signInElsewhere(t: Translator, { next }: PageData) {
  return async (): Promise<Rejection> =>
    (await leaveAccount(() => disableWebPush({ client: createClient() })))
      ? loadPage(`/signin?callbackUrl=${encodeURIComponent(next)}`)
      : { notice: t('layout.signOutFailed') }
}
