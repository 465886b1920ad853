import { ErrorNotice } from '../components/error-notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { DEFAULT_VIEW, FILE_KINDS, type FileKind, type FileView, kindOf } from './list/file-view.ts'
import { KIND_KEYS } from './list/list-options.ts'
import { type FileTotals, freeBytes, type Usage, useFileTotals } from './use-file-queries.ts'

type StorageBreakdownProps = { usage: Usage; show(view: Partial<FileView>): void }

/** Shares of the quota by kind of file, without unused kinds. Each kind is a button that lists its files, the largest first. */
export function StorageBreakdown({ usage, show }: StorageBreakdownProps) {
  const { quota, reserved } = usage
  const { t, format } = useMessages()
  const { data, error, refetch } = useFileTotals(DEFAULT_VIEW)
  if (error) return <ErrorNotice error={error} onRetry={refetch} className="m-2" />
  if (!data) return <p className="p-3 text-ink-soft">{t('common.loading')}</p>
  const kinds = byKind(data)
  const { trash } = data
  return (
    <div className="p-2">
      {kinds.length > 0 && (
        <ul aria-label={t('storage.byKind')}>
          {kinds.map(({ kind, files, bytes }) => (
            <li key={kind}>
              <button
                type="button"
                onClick={() => show({ query: '', kind, sort: 'largest' })}
                title={t('storage.showLargest')}
                className="block w-full rounded-md px-2 py-1.5 hover:bg-sunken pointer-coarse:min-h-11"
              >
                <span className="flex justify-between gap-3">
                  <span className="text-left">{t(KIND_KEYS[kind])}</span>
                  <span className="shrink-0 whitespace-nowrap text-ink-soft tabular-nums">
                    {t('storage.kindSize', { count: files, size: format.bytes(bytes) })}
                  </span>
                </span>
                <svg
                  className="mt-1 block h-1.5 w-full rounded-full forced-colors:h-2 forced-colors:border"
                  aria-hidden="true"
                  focusable="false"
                >
                  <rect width="100%" height="100%" rx="3" className="fill-line" />
                  <rect
                    width={`${share(bytes, quota)}%`}
                    height="100%"
                    rx="3"
                    className="fill-accent forced-colors:fill-[Highlight]"
                  />
                </svg>
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasThumbnails(data) && <p className="px-2 pt-1 text-ink-soft">{t('storage.withThumbnails')}</p>}
      <dl className="mt-2 border-t border-line px-2 pt-2 text-ink-soft tabular-nums">
        {trash.files > 0 && (
          <div className="flex justify-between gap-3">
            <dt>
              <AppLink href="/trash" className="relative text-accent underline underline-offset-2">
                {t('trash.title')}
              </AppLink>
            </dt>
            <dd className="shrink-0 whitespace-nowrap">
              {t('storage.kindSize', { count: trash.files, size: format.bytes(trash.bytes) })}
            </dd>
          </div>
        )}
        {reserved > trash.bytes && (
          <Line name={t('storage.reservedName')} size={format.bytes(reserved - trash.bytes)} />
        )}
        <Line
          name={t('storage.free')}
          size={t('storage.freeOf', { free: format.bytes(freeBytes(usage)), quota: format.bytes(quota) })}
        />
      </dl>
    </div>
  )
}

function Line({ name, size }: { name: string; size: string }) {
  return (
    <div className="flex justify-between gap-3">
      <dt>{name}</dt>
      <dd className="shrink-0 whitespace-nowrap">{size}</dd>
    </div>
  )
}

function byKind({ items }: FileTotals): { kind: FileKind; files: number; bytes: number }[] {
  const all = FILE_KINDS.map((kind) => {
    const matching = items.filter(({ mimeType }) => kindOf(mimeType) === kind)
    return {
      kind,
      files: matching.reduce((sum, { files }) => sum + files, 0),
      bytes: matching.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  })
  return all.filter(({ files }) => files > 0).sort((a, b) => b.bytes - a.bytes)
}

/** Returns true if a listed kind of file has thumbnails, whose bytes its total contains. */
function hasThumbnails({ items }: FileTotals): boolean {
  return items.some(({ mimeType }) => kindOf(mimeType) !== undefined)
}

/** Returns the share in percent. */
function share(bytes: number, all: number): string {
  return (all === 0 ? 0 : Math.min(100, (100 * bytes) / all)).toFixed(2)
}
