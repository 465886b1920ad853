import type { Metadata } from 'next'
import { getServices } from '../../server/container.ts'
import { FilesPage } from '../../ui/files/files-page.tsx'
import { SignInAgain } from '../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../locale.ts'
import { requireUser } from '../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('files.title') }
}

const FIRST_PAGE = 100

export default async function Page() {
  const user = await requireUser('/')
  if (!user) return <SignInAgain />
  const { uploads } = await getServices()
  const [files, usage] = await Promise.all([
    uploads.list(user.id, { limit: FIRST_PAGE, sort: 'newest' }),
    uploads.usage(user.id),
  ])
  return <FilesPage files={files} usage={usage} />
}
