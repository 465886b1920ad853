import Link from 'next/link'
import { redirect } from 'next/navigation'
import { getServices } from '../../server/container.ts'
import { SignInFrame } from '../../ui/sign-in/frame.tsx'
import { ProviderButtons } from '../../ui/sign-in/provider-buttons.tsx'
import { SignInForm } from '../../ui/sign-in/sign-in-form.tsx'
import { placeAfter } from '../../ui/sign-in/words.ts'
import { currentUser } from '../session.ts'

export const metadata = { title: 'Sign in' }

const NAMES = { github: 'GitHub', google: 'Google', oidc: 'single sign-on' }

type Query = { callbackUrl?: string | string[]; error?: string | string[] }

export default async function Page({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams
  const { config } = await getServices()
  const next = placeAfter(first(query.callbackUrl), config.baseUrl)
  if (await currentUser()) redirect(next)
  const providers = (['github', 'google', 'oidc'] as const)
    .filter((id) => config.providers[id])
    .map((id) => ({ id, name: NAMES[id] }))
  const below = config.allowSignUp && (
    <>
      New here?{' '}
      <Link href="/signup" className="font-medium text-accent underline underline-offset-2">
        Create an account
      </Link>
    </>
  )
  return (
    <SignInFrame title="Sign in" below={below}>
      <SignInForm next={next} error={first(query.error)} />
      <ProviderButtons providers={providers} next={next} />
    </SignInFrame>
  )
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
