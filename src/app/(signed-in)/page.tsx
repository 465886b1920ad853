import { getServices } from '../../server/container.ts'
import { FilesPage } from '../../ui/files/files-page.tsx'
import { requireUser } from '../session.ts'

export const metadata = { title: 'Files' }

const FIRST_PAGE = 100

export default async function Page() {
  const user = await requireUser('/')
  const { uploads } = await getServices()
  const [files, usage] = await Promise.all([
    uploads.list(user.id, { limit: FIRST_PAGE }),
    uploads.usage(user.id),
  ])
  return <FilesPage files={files} usage={usage} />
}
