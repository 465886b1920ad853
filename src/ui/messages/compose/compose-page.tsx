'use client'

import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { errorDetails, errorText } from '../../context/error-text.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { BackLink } from '../../layout/back-link.tsx'
import { showPageTitle } from '../../uploads/tab-title.tsx'
import { audienceSize, resultOf } from '../delivery-summary.ts'
import { buildPush, buildTest } from './build-message.ts'
import { clearDraft } from './draft-store.ts'
import { MessageCard } from './message-card.tsx'
import { Previews } from './previews.tsx'
import { RecipientCount } from './recipient-count.tsx'
import { RecipientFields } from './recipient-fields.tsx'
import { recipientsOf, SendSummary } from './send-summary.tsx'
import { SendTime } from './send-time.tsx'
import { isOwnToken, type OwnPushToken, type TokenChoice } from './token-field.tsx'
import { useCompose } from './use-compose.ts'
import { useRecipientCount } from './use-recipient-count.ts'
import { loadDeliveryStatus, loadSendResult, type Push, useSendPush } from './use-send-push.ts'

/** 15 KB, loaded when the first dialog opens. */
const BroadcastDialog = lazy(async () => ({
  default: (await import('./broadcast-dialog.tsx')).BroadcastDialog,
}))

// `useSendPush` loads them before it sends a message or a test.
const DeliveryStatus = lazy(async () => ({ default: (await loadDeliveryStatus()).DeliveryStatus }))
const SendResult = lazy(async () => ({ default: (await loadSendResult()).SendResult }))

/** Messages for error codes. UNAUTHORIZED means that the push token was rejected, not the session. */
const TEST_ERRORS = { PAYLOAD_TOO_LARGE: 'compose.tooLarge' } as const
const PUSH_ERRORS = {
  ...TEST_ERRORS,
  UNAUTHORIZED: 'compose.tokenUnknown',
  FORBIDDEN: 'compose.forbidden',
  NOT_FOUND: 'compose.userUnknown',
} as const
/** Fields that show the error of a rejected push, by error code. */
const PUSH_FIELDS = { UNAUTHORIZED: 'token', NOT_FOUND: 'users' } as const

/** Fields that decide which devices get the message. */
const AUDIENCE_FIELDS = [
  'token',
  'to',
  'topic',
  'users',
  'picked',
  'app',
  'category',
  'silent',
  'later',
  'sendAt',
]

/** Returns the code of an error that a field shows. One of the user's push tokens that has ended counts as unknown. */
function fieldCodeOf(error: unknown): keyof typeof PUSH_FIELDS | undefined {
  const { code, fieldErrors } = errorDetails(error)
  if (code === 'NOT_FOUND' && fieldErrors?.id) return 'UNAUTHORIZED'
  return code === 'UNAUTHORIZED' || code === 'NOT_FOUND' ? code : undefined
}

type ComposePageProps = {
  /** An administrator's own push tokens. Null for other users. */
  tokens: OwnPushToken[] | null
  /** Names of the service's apps. */
  apps: readonly string[]
  hasTemplates: boolean
}

/**
 * Form that writes a message with a live preview, tests it on the user's own devices, and sends it with a push token.
 * Before a message goes to all devices or a topic, or is scheduled, a dialog says how many devices receive it. After
 * sending, the result replaces the form, so that the message is not sent twice.
 */
export function ComposePage({ tokens, apps, hasTemplates }: ComposePageProps) {
  const { t } = useMessages()
  const form = useRef<HTMLFormElement>(null)
  const actions = useRef<HTMLDivElement>(null)
  const previewsId = useId()
  const resultHeading = useRef<HTMLHeadingElement>(null)
  const [token, setToken] = useState<TokenChoice>(tokens?.[0] ? { id: tokens[0].id } : { raw: '' })
  const [confirming, setConfirming] = useState<Push & { devices: number }>()
  const { reset, resetErrors, send, count, test, ...sending } = useSendPush()
  const { delivery, deliveryError, cancel, onCancelled, cancelToEdit, showCount } = sending
  const compose = useCompose(form, (changed) => {
    // A count of other recipients would be wrong.
    if (changed.some((name) => AUDIENCE_FIELDS.includes(name))) reset()
    else resetErrors()
  })
  // Do not restore a sent message when the user returns from another page.
  const isSent = useRef(false)
  useEffect(() => {
    const field = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    // The form is back. A silent message has no title.
    if (isSent.current && !send.isSuccess)
      (field('[name=title]:enabled') ?? field('[name=to]:checked'))?.focus()
    isSent.current = send.isSuccess
  }, [send.isSuccess])
  useEffect(() => () => void (isSent.current && clearDraft()), [])
  const recipientCount = useRecipientCount(compose.draft, token)
  const { devices } = recipientCount
  const { later } = compose.draft
  /** True if the button says how many devices get the message. A scheduled one can reach others by its time. */
  const isCounted = !later && devices !== undefined && devices > 0
  const busy = send.isPending || count.isPending || test.isPending || confirming !== undefined

  /** Returns the form's message and token. If something is invalid, shows the errors and returns null. */
  function readPush(): Push | null {
    const trimmed = 'raw' in token ? { raw: token.raw.trim() } : token
    const isMissing = 'raw' in trimmed && trimmed.raw === ''
    const message = compose.check(
      buildPush(compose.draft, new Date()),
      isMissing ? { token: 'compose.errors.tokenMissing' } : {},
    )
    return message && { token: trimmed, message }
  }

  /** Shows the server's error at the field that caused it, if one did. */
  function markField(error: Error): void {
    const code = fieldCodeOf(error)
    if (code) compose.reject({ [PUSH_FIELDS[code]]: PUSH_ERRORS[code] })
  }

  function changeToken(value: TokenChoice): void {
    setToken(value)
    compose.forget(['token'])
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    reset()
    const push = readPush()
    if (!push) return
    if (!push.message.sendAt && !push.message.all && push.message.topic === undefined)
      return send.mutate(push, { onError: markField })
    count.mutate(push, {
      onError: markField,
      onSuccess: (counted) => {
        const devices = audienceSize(counted.audience)
        // By the time of a scheduled message, there can be recipients.
        if (devices === 0 && !push.message.sendAt) showCount(counted)
        else setConfirming({ ...push, devices })
      },
    })
  }

  function startNew(): void {
    reset()
    clearDraft()
  }

  function sendTest(): void {
    if (busy) return
    reset()
    const message = compose.check(buildTest(compose.draft))
    if (message) test.mutate(message)
  }

  const heading = t('compose.heading', { state: delivery && send.isSuccess ? resultOf(delivery) : 'none' })
  useEffect(() => showPageTitle(heading), [heading])
  const error = send.error ?? count.error ?? test.error
  const problem = error ? errorText(t, error, error === test.error ? TEST_ERRORS : PUSH_ERRORS) : undefined
  const isAtField = error !== test.error && fieldCodeOf(error) !== undefined
  const results = delivery && (
    <DeliveryStatus
      message={delivery}
      error={deliveryError ? errorText(t, deliveryError, PUSH_ERRORS) : undefined}
      heading={send.isSuccess ? resultHeading : undefined}
    />
  )
  const outcome = ((problem && !confirming && !isAtField) || results) && (
    <div className="max-h-[40vh] overflow-y-auto">
      {problem && !confirming && !isAtField && <Notice tone="error">{problem}</Notice>}
      {results}
    </div>
  )
  const formOrResult =
    delivery && send.isSuccess ? (
      <Suspense>
        <SendResult
          content={send.variables.message}
          recipients={recipientsOf(compose.draft, isOwnToken(token), t)}
          isListed={isOwnToken(token)}
          status={delivery.status}
          heading={resultHeading}
          cancel={cancel}
          onCancelled={onCancelled}
          cancelToEdit={cancelToEdit}
          onNew={startNew}
          onReuse={reset}
        >
          {results}
        </SendResult>
      </Suspense>
    ) : (
      <form ref={form} onSubmit={submit} method="post" noValidate className="space-y-4">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:gap-x-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_auto_1fr]">
          <Card
            title={t('compose.recipientsTitle')}
            description={tokens ? undefined : t('compose.recipientsText')}
          >
            <RecipientFields
              compose={compose}
              tokens={tokens}
              token={token}
              apps={apps}
              onToken={changeToken}
            >
              {/* Once sending has failed, the error is shown where it was caused. */}
              <RecipientCount {...recipientCount} error={problem ? undefined : recipientCount.error} />
            </RecipientFields>
          </Card>
          <MessageCard compose={compose} hasTemplates={hasTemplates} busy={busy} onTest={sendTest}>
            {!test.isIdle && outcome && (
              <Suspense>
                <ScrolledTo className="border-t border-line px-4 py-4 sm:px-5">{outcome}</ScrolledTo>
              </Suspense>
            )}
          </MessageCard>
          <Previews id={previewsId} draft={compose.draft} />
          <Card title={t('compose.when')}>
            <SendTime compose={compose} />
          </Card>
        </div>
        <div
          ref={actions}
          data-send-bar
          className="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-10 flex flex-wrap items-center gap-2 border border-line bg-surface px-4 py-3 shadow-tray max-sm:-mx-4 max-sm:border-x-0 sm:bottom-4 sm:rounded-xl sm:px-5 lg:mr-[21.5rem] short:static [body:has([data-tray])_&]:static"
        >
          {test.isIdle && outcome && (
            <Suspense>
              <div className="basis-full">{outcome}</div>
            </Suspense>
          )}
          <SendSummary
            draft={compose.draft}
            toYou={isOwnToken(token)}
            devices={isCounted ? undefined : devices}
          />
          <Button popoverTarget={previewsId} className="sm:hidden">
            {t('preview.heading')}
          </Button>
          <Button type="submit" variant="primary" busy={busy} className="max-sm:flex-1">
            {isCounted
              ? t('compose.sendTo', { count: devices })
              : t(later ? 'compose.schedule' : 'compose.send')}
          </Button>
        </div>
      </form>
    )
  return (
    <div className="space-y-4 sm:space-y-6">
      <div>
        <BackLink href="/messages">{t('messages.inbox')}</BackLink>
        <h1 className="mt-1 text-xl font-semibold tracking-tight sm:text-2xl">{heading}</h1>
      </div>
      {formOrResult}
      {confirming && (
        <Suspense>
          <BroadcastDialog
            devices={confirming.devices}
            message={confirming.message}
            toYou={isOwnToken(confirming.token)}
            busy={send.isPending}
            attempt={send.submittedAt}
            error={problem}
            onConfirm={() => send.mutate(confirming, { onSuccess: () => setConfirming(undefined) })}
            onCancel={() => {
              setConfirming(undefined)
              reset()
            }}
            onClosed={() =>
              (resultHeading.current ?? actions.current?.querySelector<HTMLElement>('[type=submit]'))?.focus()
            }
          />
        </Suspense>
      )}
    </div>
  )
}

/** Result of a button that stays in view while the form is scrolled. It scrolls into view, too. */
function ScrolledTo({ className, children }: { className: string; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  // Newer browsers return a promise, which an effect must not.
  useEffect(() => void content.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div ref={content} className={className}>
      {children}
    </div>
  )
}
