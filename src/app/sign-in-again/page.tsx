import { headers } from 'next/headers'
import { PROVIDER_IDS } from '../../server/domain/accounts/schema.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { SignedInAgain, SignInAgainWith } from '../../ui/sign-in/sign-in-again.tsx'
import { pageTitle, requestMessages } from '../locale.ts'
import { requireUser } from '../session.ts'

export const generateMetadata = pageTitle('reauthentication.title')

/** Opened in another tab by a page that needs a recent sign-in, and again by the provider afterwards. */
export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ provider?: string | string[] }>
}) {
  const [query, { t }, requestHeaders] = await Promise.all([searchParams, requestMessages(), headers()])
  await requireUser('/')
  const provider = PROVIDER_IDS.find((id) => id === query.provider)
  // A link on another site must not start a sign-in.
  const startsAtOnce = requestHeaders.get('sec-fetch-site') === 'same-origin'
  return (
    <CenteredLayout title={t('reauthentication.title')}>
      {provider ? <SignInAgainWith provider={provider} startsAtOnce={startsAtOnce} /> : <SignedInAgain />}
    </CenteredLayout>
  )
}
