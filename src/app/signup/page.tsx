import Link from 'next/link'
import { redirect } from 'next/navigation'
import { getServices } from '../../server/container.ts'
import { CenteredLayout } from '../../ui/layout/centered-layout.tsx'
import { SignUpForm } from '../../ui/sign-in/sign-up-form.tsx'
import { currentUser } from '../session.ts'

export const metadata = { title: 'Create an account' }

export default async function Page() {
  const { config } = await getServices()
  if (await currentUser()) redirect('/')
  const footer = (
    <>
      Already have an account?{' '}
      <Link href="/signin" className="font-medium text-accent underline underline-offset-2">
        Sign in
      </Link>
    </>
  )
  if (!config.allowSignUp)
    return (
      <CenteredLayout title="Sign-up is closed" footer={footer}>
        <p className="text-sm text-ink-soft">Ask the administrator of this server for an account.</p>
      </CenteredLayout>
    )
  return (
    <CenteredLayout title="Create an account" footer={footer}>
      <SignUpForm />
    </CenteredLayout>
  )
}
