import { cookies } from 'next/headers'
import { getServices } from '../../server/wiring/services.ts'
import { FilesPage } from '../../ui/files/files-page.tsx'
import { LAYOUT_COOKIE, parseFileLayout } from '../../ui/files/list/file-layout.ts'
import { filterOf, formatFileView, parseFileView } from '../../ui/files/list/file-view.ts'
import { SignInAgain } from '../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../locale.ts'
import { requireUser } from '../session.ts'

export const generateMetadata = pageTitle('files.title')

const FIRST_PAGE = 100

type Search = Record<string, string | string[] | undefined>

export default async function Page({ searchParams }: { searchParams: Promise<Search> }) {
  const view = parseFileView(toSearchParams(await searchParams))
  const address = formatFileView(view)
  const user = await requireUser(`/${address}`)
  if (!user) return <SignInAgain />
  const { uploads } = await getServices()
  const filter = filterOf(view)
  const [files, recent, usage] = await Promise.all([
    uploads.list(user.id, { limit: FIRST_PAGE, sort: view.sort, ...filter }),
    address === '' ? undefined : uploads.list(user.id, { limit: FIRST_PAGE, sort: 'newest' }),
    uploads.usage(user.id),
  ])
  const layout = parseFileLayout((await cookies()).get(LAYOUT_COOKIE)?.value)
  return <FilesPage files={files} view={view} recent={recent?.items} usage={usage} layout={layout} />
}

/** Converts Next's search parameters. Uses only the first value of a repeated parameter. */
function toSearchParams(search: Search): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) params.set(name, first)
  }
  return params
}
