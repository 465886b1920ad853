import Link from 'next/link'
import { buttonClass } from '../ui/parts/button.tsx'
import { SignInFrame } from '../ui/sign-in/frame.tsx'

export const metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <SignInFrame title="There is nothing at this address">
      <p className="mb-6 text-sm text-ink-soft">The link may be mistyped, or the file was deleted.</p>
      <Link href="/" className={buttonClass('primary')}>
        Go to your files
      </Link>
    </SignInFrame>
  )
}
