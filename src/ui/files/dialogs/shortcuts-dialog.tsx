import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import { Fragment } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogButtons } from '../../components/dialog.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Keys whose print depends on the language. */
const KEY_NAMES: Record<string, PlainMessageKey> = {
  Home: 'files.keyNames.home',
  End: 'files.keyNames.end',
  Space: 'files.keyNames.space',
  Shift: 'files.keyNames.shift',
  Ctrl: 'files.keyNames.ctrl',
  Enter: 'files.keyNames.enter',
  Delete: 'files.keyNames.delete',
}

/** Alternative keys, by name or as printed, and what they do. An ampersand is between keys that are pressed together. */
const SHORTCUTS: [keys: string[], action: PlainMessageKey][] = [
  [['↑', '↓', 'Home', 'End'], 'files.keyMove'],
  [['←', '→'], 'files.keyControls'],
  [['Space'], 'files.keySelect'],
  [['Shift&↓', 'Shift&↑'], 'files.keyExtend'],
  [['Ctrl&A'], 'files.keySelectAll'],
  [['Esc'], 'files.keyClear'],
  [['Enter'], 'files.keyOpen'],
  [['+', '-', '0'], 'files.keyZoom'],
  [['Delete'], 'files.keyDelete'],
  [['Ctrl&Z'], 'files.keyUndo'],
  [['?'], 'files.keyHelp'],
]

type ShortcutsDialogProps = {
  onClose(): void
  /** Called after the dialog has closed, to restore the focus. */
  onClosed(): void
}

/** Lists the keyboard shortcuts of the files page. */
export function ShortcutsDialog({ onClose, onClosed }: ShortcutsDialogProps) {
  const { t } = useMessages()
  return (
    <Dialog
      title={t('files.shortcuts')}
      description={t('files.shortcutsText')}
      onClose={onClose}
      onCloseAutoFocus={onClosed}
    >
      <dl className="mt-4 divide-y divide-line text-sm">
        {SHORTCUTS.map(([keys, action]) => (
          <div key={action} className="flex items-center justify-between gap-4 py-2">
            <dt className="order-last flex max-w-3/5 shrink-0 flex-wrap justify-end gap-1.5">
              {keys.map((keysTogether) => (
                <span key={keysTogether} className="whitespace-nowrap">
                  {keysTogether.split('&').map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 && ' + '}
                      <kbd className="rounded border border-line-strong bg-sunken px-1.5 py-0.5 font-mono text-xs">
                        {KEY_NAMES[key] ? t(KEY_NAMES[key]) : key}
                      </kbd>
                    </Fragment>
                  ))}
                </span>
              ))}
            </dt>
            <dd>{t(action)}</dd>
          </div>
        ))}
      </dl>
      <DialogButtons>
        <AlertDialogCancel asChild>
          <Button>{t('common.close')}</Button>
        </AlertDialogCancel>
      </DialogButtons>
    </Dialog>
  )
}
