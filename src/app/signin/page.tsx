import { redirect } from 'next/navigation'
import { PROVIDER_IDS } from '../../server/domain/accounts/schema.ts'
import { getServices } from '../../server/wiring/services.ts'
import { TextLink } from '../../ui/components/text-link.tsx'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { ProviderButtons } from '../../ui/sign-in/provider-buttons.tsx'
import { providerNames } from '../../ui/sign-in/provider-names.ts'
import { safeRedirectPath } from '../../ui/sign-in/safe-redirect-path.ts'
import { SignInForm } from '../../ui/sign-in/sign-in-form.tsx'
import { pageTitle, requestMessages } from '../locale.ts'
import { currentUser } from '../session.ts'

export const generateMetadata = pageTitle('signIn.title')

type Query = { callbackUrl?: string | string[]; error?: string | string[] }

export default async function Page({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams
  const [{ config }, { t }] = await Promise.all([getServices(), requestMessages()])
  const next = safeRedirectPath(first(query.callbackUrl), config.baseUrl)
  if (await currentUser()) redirect(next)
  const names = providerNames(t)
  const providers = PROVIDER_IDS.filter((id) => config.providers[id]).map((id) => ({ id, name: names[id] }))
  const footer =
    config.allowSignUp &&
    t.rich('signIn.newHere', {
      link: (text) => <TextLink href="/signup">{text}</TextLink>,
    })
  return (
    <CenteredLayout title={t('signIn.title')} footer={footer}>
      <SignInForm next={next} error={first(query.error)} canReset={config.mail !== undefined} />
      <ProviderButtons providers={providers} next={next} />
    </CenteredLayout>
  )
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
