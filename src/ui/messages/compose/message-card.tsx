import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Draft } from './draft.ts'
import { lastReplacement, type Replacement, replacementOf } from './draft-store.ts'
import { MessageFields } from './message-fields.tsx'
import type { useCompose } from './use-compose.ts'
import { useTemplates } from './use-templates.ts'

const TemplateList = lazy(async () => ({ default: (await import('./template-list.tsx')).TemplateList }))
const SaveTemplate = lazy(async () => ({ default: (await import('./save-template.tsx')).SaveTemplate }))

type MessageCardProps = {
  compose: ReturnType<typeof useCompose>
  /** True if the user had templates when the page was loaded. */
  hasTemplates: boolean
  busy: boolean
  onTest(): void
  /** Result of the last test. */
  children: ReactNode
}

/** The content of the message. It can come from a template, be saved as one, and be tested. */
export function MessageCard({ compose, hasTemplates, busy, onTest, children }: MessageCardProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const card = useRef<HTMLDivElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)
  const panelId = useId()
  const [choosing, setChoosing] = useState(false)
  const [saving, setSaving] = useState(false)
  const [used, setUsed] = useState<Replacement | undefined>(lastReplacement)
  const { draft } = compose
  const templates = useTemplates({ enabled: false }).data?.items
  const canChoose = choosing || (templates ? templates.length > 0 : hasTemplates)
  const focusTitle = () => card.current?.querySelector<HTMLElement>('[name=title]')?.focus()

  function applyTemplate(name: string, part: Partial<Draft>): void {
    setUsed(replacementOf(draft, t('templates.used', { name }), part))
    compose.change(part)
    setChoosing(false)
    announce(t('templates.used', { name }))
    focusTitle()
  }
  // Undoing would discard what the user has changed since.
  const canUndo =
    used && (Object.keys(used.part) as (keyof Draft)[]).every((key) => draft[key] === used.part[key])

  return (
    <div ref={card}>
      <Card
        title={t('compose.messageTitle')}
        actions={
          canChoose && (
            <Button
              variant="ghost"
              aria-expanded={choosing}
              aria-controls={panelId}
              className="-mx-4 forced-colors:mx-0"
              onClick={() => setChoosing(!choosing)}
            >
              {t('templates.choose')}
            </Button>
          )
        }
      >
        <div id={panelId}>
          {choosing && (
            <div className="space-y-4 border-b border-line bg-sunken px-4 py-3 sm:px-5">
              <Suspense fallback={<p className="text-sm text-ink-soft">{t('common.loading')}</p>}>
                <TemplateList onUse={applyTemplate} />
              </Suspense>
            </div>
          )}
          {canUndo && (
            <p className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 text-sm text-ink-soft sm:px-5">
              <bdi>{used.text}</bdi>
              <Button
                variant="ghost"
                onClick={() => {
                  compose.change(used.before)
                  setUsed(undefined)
                  focusTitle()
                }}
              >
                {t('files.undo')}
              </Button>
            </p>
          )}
        </div>
        <MessageFields compose={compose} />
        {/* Directly below the fields that it saves. */}
        <div className="border-t border-line px-4 py-1 sm:px-5">
          <Button
            ref={saveButton}
            variant="ghost"
            aria-expanded={saving}
            // Its text is aligned with the fields.
            className="-ml-4 forced-colors:m-0"
            onClick={() => setSaving(!saving)}
          >
            {t('templates.saveAs')}
          </Button>
          {saving && (
            <Suspense>
              <SaveTemplate
                compose={compose}
                onClose={() => {
                  setSaving(false)
                  saveButton.current?.focus()
                }}
              />
            </Suspense>
          )}
        </div>
        <div className="space-y-1.5 border-t border-line px-4 py-3 sm:px-5">
          {!draft.silent && (
            <Button busy={busy} onClick={onTest}>
              {t('compose.sendTest')}
            </Button>
          )}
          <p className="text-sm text-ink-soft">
            {t(draft.silent ? 'compose.silentTest' : 'compose.sendTestText')}
          </p>
        </div>
        {children}
      </Card>
    </div>
  )
}
