import Link from 'next/link'
import { redirect } from 'next/navigation'
import { getServices } from '../../server/container.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { ProviderButtons } from '../../ui/sign-in/provider-buttons.tsx'
import { safeRedirectPath } from '../../ui/sign-in/safe-redirect-path.ts'
import { SignInForm } from '../../ui/sign-in/sign-in-form.tsx'
import { currentUser } from '../session.ts'

export const metadata = { title: 'Sign in' }

const PROVIDER_NAMES = { github: 'GitHub', google: 'Google', oidc: 'single sign-on' }

type Query = { callbackUrl?: string | string[]; error?: string | string[] }

export default async function Page({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams
  const { config } = await getServices()
  const next = safeRedirectPath(first(query.callbackUrl), config.baseUrl)
  if (await currentUser()) redirect(next)
  const providers = (['github', 'google', 'oidc'] as const)
    .filter((id) => config.providers[id])
    .map((id) => ({ id, name: PROVIDER_NAMES[id] }))
  const footer = config.allowSignUp && (
    <>
      New here?{' '}
      <Link href="/signup" className="font-medium text-accent underline underline-offset-2">
        Create an account
      </Link>
    </>
  )
  return (
    <CenteredLayout title="Sign in" footer={footer}>
      <SignInForm next={next} error={first(query.error)} />
      <ProviderButtons providers={providers} next={next} />
    </CenteredLayout>
  )
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
