import { reopen, type UploadSource } from '@pigeonhole/client/browser'
import { useQueries } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { FileInput } from '../uploads/file-input.tsx'
import { pickFiles } from '../uploads/file-picker.ts'
import { matchFiles } from './match-files.ts'
import { statusQuery, UnfinishedUploadRow } from './unfinished-upload-row.tsx'
import { useDiscardUpload } from './use-discard-upload.ts'
import { useRefreshFiles } from './use-file-queries.ts'
import { canReopen, type UnfinishedUpload } from './use-unfinished-uploads.ts'

/** Length of the undo period. The uploads stay if the user leaves the page earlier. */
const UNDO_MS = 10_000
/** Most files that the notice names. */
const MAX_NAMES = 5

type UnfinishedUploadListProps = {
  uploads: UnfinishedUpload[]
  /** Called after uploads were resumed or discarded. */
  onChange(): void
}

/** Unfinished uploads, with buttons that resume and discard one or all of them. */
export function UnfinishedUploadList({ uploads, onChange }: UnfinishedUploadListProps) {
  const { t } = useMessages()
  const { announce, notify } = useAnnouncer()
  const { client, uploader } = useClients()
  /** Uploads that are discarded when the undo period ends. */
  const [waiting, setWaiting] = useState<UnfinishedUpload[]>([])
  /** IDs of discarded uploads, which stay hidden while the list is fetched. */
  const [discarded, setDiscarded] = useState<ReadonlySet<string>>(new Set())
  useDiscardLater(waiting, (ids) => {
    setDiscarded((before) => new Set([...before, ...ids]))
    setWaiting([])
    onChange()
  })
  const hidden = new Set([...discarded, ...waiting.map(({ fileId }) => fileId)])
  const shown = uploads.filter(({ fileId }) => !hidden.has(fileId))
  const reopenable = shown.filter(canReopen)
  const needFiles = shown.filter((upload) => !canReopen(upload))
  const keepsData = useQueries({
    queries: shown.map(({ fileId }) => statusQuery(client, fileId)),
    // Until the status is known, parts are likely: without any, most users start again.
    combine: (statuses) => statuses.some(({ data }) => !data || (data.parts?.length ?? 0) > 0),
  })
  const input = useRef<HTMLInputElement>(null)
  if (shown.length + waiting.length === 0) return null

  async function chooseFiles() {
    const sources = await pickFiles()
    if (sources) resumeFrom(sources)
    else input.current?.click()
  }
  function resumeFrom(sources: UploadSource[]) {
    const { matched, rest } = matchFiles(shown, sources)
    // The uploader recognizes stored uploads by their file. Uploads from elsewhere need the ID.
    for (const [{ entry, fileId }, source] of matched)
      if (entry) uploader.upload(source)
      else uploader.resumeFrom(fileId, source)
    const names = rest.slice(0, MAX_NAMES).map(({ name }) => name)
    if (rest.length > 0) notify(t('unfinished.unmatched', { count: rest.length, names: names.join(', ') }))
    if (matched.length > 0) onChange()
  }
  async function resumeAll() {
    for (const { entry } of reopenable) {
      const source = entry && (await reopen(entry))
      if (source) uploader.upload(source)
    }
    onChange()
  }
  function discardAll() {
    setWaiting(shown)
    announce(t('unfinished.discardedWithUndo', { count: shown.length }))
  }
  function undo() {
    setWaiting([])
    announce(t('unfinished.restored', { count: waiting.length }))
  }

  return (
    <Card
      title={t('unfinished.title')}
      description={[
        keepsData && t('unfinished.text'),
        needFiles.length > 0 && t('unfinished.chooseAgainText'),
      ]
        .filter(Boolean)
        .join(' ')}
      actions={
        // One button whose label changes, because replacing it would lose the focus.
        waiting.length > 0 ? (
          <Button onClick={undo}>
            <Undo2 aria-hidden="true" className="size-4" />
            {t('files.undo')}
          </Button>
        ) : (
          shown.length > 1 && (
            <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-auto">
              {needFiles.length > 1 && <Button onClick={chooseFiles}>{t('unfinished.chooseFiles')}</Button>}
              {reopenable.length > 1 && <Button onClick={resumeAll}>{t('unfinished.resumeAll')}</Button>}
              <Button variant="quiet" className="sm:-mr-4" onClick={discardAll}>
                {t('unfinished.discardAll')}
              </Button>
            </div>
          )
        )
      }
    >
      {waiting.length > 0 && (
        <p className="px-4 py-3 text-sm text-ink-soft sm:px-5">
          {t('unfinished.discarded', { count: waiting.length })}
        </p>
      )}
      <FileInput ref={input} multiple label={t('unfinished.chooseFiles')} onFiles={resumeFrom} />
      <ul className="divide-y divide-line">
        {shown.map((upload) => (
          <UnfinishedUploadRow key={upload.fileId} upload={upload} onChange={onChange} />
        ))}
      </ul>
    </Card>
  )
}

/** Discards the uploads when the undo period ends, then calls `onDone` with their IDs. Reports failures. */
function useDiscardLater(uploads: UnfinishedUpload[], onDone: (ids: string[]) => void) {
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const discard = useDiscardUpload()
  const refresh = useRefreshFiles()
  const latest = useRef(onResults)
  latest.current = onResults

  function onResults(results: PromiseSettledResult<void>[]) {
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) notify(errorText(t, failed.reason))
    refresh()
    onDone(uploads.filter((_, i) => results[i]?.status === 'fulfilled').map(({ fileId }) => fileId))
  }

  useEffect(() => {
    if (uploads.length === 0) return
    const timer = setTimeout(async () => {
      latest.current(await Promise.allSettled(uploads.map(discard)))
    }, UNDO_MS)
    return () => clearTimeout(timer)
  }, [uploads, discard])
}
