import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { isSignInRecent } from '../../server/domain/accounts/recent-sign-in.ts'
import { PROVIDER_IDS } from '../../server/domain/accounts/schema.ts'
import { getServices } from '../../server/wiring/services.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { SignedInAgain, SignInAgainWith } from '../../ui/sign-in/sign-in-again.tsx'
import { pageTitle, requestMessages } from '../locale.ts'
import { requireUser } from '../session.ts'

type PageProps = { searchParams: Promise<{ provider?: string | string[] }> }

const providerOf = async ({ searchParams }: PageProps) => {
  const { provider } = await searchParams
  return PROVIDER_IDS.find((id) => id === provider)
}

/** Without a provider, the user has signed in again. */
const titleKey = (provider: string | undefined) =>
  provider ? 'reauthentication.title' : 'reauthentication.doneTitle'

export async function generateMetadata(props: PageProps) {
  return pageTitle(titleKey(await providerOf(props)))()
}

/** Opened in another tab by a page that needs a recent sign-in, and again by the provider afterwards. */
export default async function Page(props: PageProps) {
  const [provider, { t }, requestHeaders, { clock }] = await Promise.all([
    providerOf(props),
    requestMessages(),
    headers(),
    getServices(),
  ])
  const user = await requireUser('/')
  // Opened by hand, the page would confirm a sign-in that did not happen.
  if (!provider && !(user && isSignInRecent(user.signedInAt, clock.now()))) redirect('/')
  // A link on another site must not start a sign-in.
  const startsAtOnce = requestHeaders.get('sec-fetch-site') === 'same-origin'
  return (
    <CenteredLayout title={t(titleKey(provider))}>
      {provider ? <SignInAgainWith provider={provider} startsAtOnce={startsAtOnce} /> : <SignedInAgain />}
    </CenteredLayout>
  )
}
