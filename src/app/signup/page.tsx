import Link from 'next/link'
import { redirect } from 'next/navigation'
import { getServices } from '../../server/container.ts'
import { SignInFrame } from '../../ui/sign-in/frame.tsx'
import { SignUpForm } from '../../ui/sign-in/sign-up-form.tsx'
import { currentUser } from '../session.ts'

export const metadata = { title: 'Create an account' }

export default async function Page() {
  const { config } = await getServices()
  if (await currentUser()) redirect('/')
  const below = (
    <>
      Have an account?{' '}
      <Link href="/signin" className="font-medium text-accent underline underline-offset-2">
        Sign in
      </Link>
    </>
  )
  if (!config.allowSignUp)
    return (
      <SignInFrame title="New accounts are not open here" below={below}>
        <p className="text-sm text-ink-soft">Ask whoever runs this server to make an account for you.</p>
      </SignInFrame>
    )
  return (
    <SignInFrame title="Create an account" below={below}>
      <SignUpForm />
    </SignInFrame>
  )
}
