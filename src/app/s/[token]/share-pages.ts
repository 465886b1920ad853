import type { SharePages } from '../../../server/api/http/share-visit.ts'
import { pageContext } from '../../../ui/plain-pages/page-context.ts'
import { sharedFilePage, shareLockedPage, shareUnavailablePage } from '../../../ui/plain-pages/share-page.ts'

export const sharePages: SharePages = {
  unavailable: ({ headers }) => shareUnavailablePage(pageContext(headers)),
  locked: ({ headers }, problem) => shareLockedPage(pageContext(headers), problem),
  open: ({ headers }, file) => sharedFilePage(pageContext(headers), file),
}
