'use client'

import { useTell } from '../context/announcer.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { copyText } from './copy-text.ts'
import type { FileItem } from './use-file-queries.ts'

/**
 * Copies a file's link, and says before and after who can open it: that is not what people expect of a link. Links of
 * ours end with the file's id and ask for the session; those below S3_PUBLIC_URL open for everybody.
 */
export function useCopyLink({ id, url }: FileItem) {
  const { t } = useWords()
  const { notify } = useTell()
  const isPublic = url !== null && !url.endsWith(`/files/${id}`)
  return {
    audience: t(isPublic ? 'files.linkForAll' : 'files.linkForYou'),
    /** Whether it was copied. */
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
