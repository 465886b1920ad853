import Link from 'next/link'
import { buttonClass } from '../ui/components/button.tsx'
import { CenteredLayout } from '../ui/layout/centered-layout.tsx'

export const metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <CenteredLayout title="Page not found">
      <p className="mb-6 text-sm text-ink-soft">The address may be mistyped, or the file has been deleted.</p>
      <Link href="/" className={buttonClass('primary')}>
        Go to your files
      </Link>
    </CenteredLayout>
  )
}
