import { useAnnouncer } from '../context/announcer.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { copyText } from './copy-text.ts'
import type { FileItem } from './use-file-queries.ts'

/**
 * Copies a file's link and says, before and after, who can open it, because users expect otherwise. The app's own links
 * end with the file's ID and require the session. Anyone can open links below S3_PUBLIC_URL.
 */
export function useCopyLink({ url, visibility }: FileItem) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const isPublic = visibility === 'public'
  return {
    audience: t(isPublic ? 'files.linkForAll' : 'files.linkForYou'),
    /** Resolves with true if the link was copied. */
    async copy(): Promise<boolean> {
      if (url === null || !(await copyText(url))) {
        notify(t('files.linkNotCopied'))
        return false
      }
      notify(t(isPublic ? 'files.publicLinkCopied' : 'files.linkCopied'), 'info')
      return true
    },
  }
}
