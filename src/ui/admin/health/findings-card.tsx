import type { Finding, Findings } from '@pigeonhole/client/admin'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { FindingDetails, FindingTexts } from '../../i18n/messages/findings.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { CheckedAt } from './checked-at.tsx'
import { translateDetails } from './translate-details.ts'

const STATUS: Record<Finding['status'], { label: PlainMessageKey; tone: BadgeTone; rank: number }> = {
  FAIL: { label: 'admin.health.fails', tone: 'bad', rank: 0 },
  warn: { label: 'admin.health.warns', tone: 'warning', rank: 1 },
  ok: { label: 'admin.health.ok', tone: 'good', rank: 2 },
}

type FindingsCardProps = { texts: FindingTexts; details: FindingDetails }

/** Doctor's findings. The read-only checks run at once; a button runs all checks. */
export function FindingsCard({ texts, details }: FindingsCardProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const quick = useQuery({
    queryKey: ADMIN_KEYS.findings,
    queryFn: ({ signal }) => admin.doctor.quick(signal),
    refetchOnWindowFocus: false,
  })
  const full = useMutation({
    mutationFn: async () => ({ ...(await admin.doctor.full()), at: Date.now() }),
    onSuccess: ({ findings }) => announce(t('admin.health.result', { count: faults(findings) })),
  })
  const error = full.error ?? quick.error
  const shown = full.data ?? quick.data
  const checkedAt = full.data ? full.data.at : quick.dataUpdatedAt
  return (
    <Card title={t('admin.health.findings')} description={t('admin.health.findingsText')}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-4 sm:px-5">
        <div className="max-w-md space-y-1">
          <p className="text-sm text-ink-soft">{t('admin.health.fullText')}</p>
          {shown && <CheckedAt at={new Date(checkedAt).toISOString()} />}
        </div>
        <Button busy={full.isPending} onClick={() => full.mutate()}>
          {full.isPending ? t('admin.health.running') : t('admin.health.full')}
        </Button>
      </div>
      <ErrorNotice error={error} className="m-4" />
      {!shown && !error && <Loading />}
      {shown && <FindingList findings={shown} texts={texts} details={details} />}
    </Card>
  )
}

type FindingListProps = FindingsCardProps & { findings: Findings }

/** Findings, the worst first. Their details are those of the command `npm run doctor`, translated where possible. */
function FindingList({ findings: { findings }, texts, details }: FindingListProps) {
  const { t } = useMessages()
  const sorted = findings
    .map((finding, index) => ({
      ...finding,
      key: `${index} ${finding.check}`,
      // Checks of an app begin with its name: shop/fcm.
      text: texts[finding.check.replace(/^.*\//, '')],
      translation: translateDetails(details, finding.message),
    }))
    .sort((a, b) => STATUS[a.status].rank - STATUS[b.status].rank)
  return (
    <ul aria-label={t('admin.health.findings')} className="divide-y divide-line">
      {sorted.map(({ key, check, status, message, text, translation }) => (
        <li key={key} className="px-4 py-3 text-sm sm:px-5">
          <div className="flex items-start justify-between gap-3">
            <p className="min-w-0">
              <span className="mr-2 font-medium">{text?.name}</span>
              <code className="inline-block text-xs wrap-anywhere text-ink-soft">{check}</code>
            </p>
            <Badge tone={STATUS[status].tone}>{t(STATUS[status].label)}</Badge>
          </div>
          {status !== 'ok' && text && <p className="max-w-2xl">{text.advice}</p>}
          <p
            lang={translation === undefined ? 'en' : undefined}
            className="max-w-2xl wrap-anywhere text-ink-soft"
          >
            {translation ?? message}
          </p>
        </li>
      ))}
    </ul>
  )
}

const faults = (findings: Finding[]) => findings.filter(({ status }) => status !== 'ok').length
