import clsx from 'clsx'
import type { ReactNode } from 'react'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { SelectBox } from './select-box.tsx'
import type { FileSelection } from './use-selection.ts'

type SelectionToolbarProps = {
  selection: Pick<FileSelection<{ id: string }>, 'files' | 'clear' | 'selectAll'>
  /** Number of loaded files. */
  loaded: number
  /** Classes of the text beside the checkbox, which is shown while no file is selected. */
  labelClass?: string
  className?: string
  children: ReactNode
}

/** Bar above a list of files, with a checkbox that selects all. Escape clears the selection. */
export function SelectionToolbar(props: SelectionToolbarProps) {
  const { selection, loaded, labelClass, className, children } = props
  const { t } = useMessages()
  const count = selection.files.length
  const all = count > 0 && count === loaded
  return (
    <fieldset
      aria-label={t('files.selection')}
      onKeyDown={(event) => event.key === 'Escape' && count > 0 && selection.clear()}
      className={clsx('sticky top-14 z-10 min-w-0 short:static print:hidden', className)}
    >
      {/* Browsers do not center the content of a fieldset with a minimum height. */}
      <div className="flex min-h-12 flex-wrap items-center gap-x-1 border-b border-line bg-surface px-1 sm:px-2">
        <SelectBox
          label={t('files.selectAll')}
          checked={all}
          mixed={count > 0 && !all}
          onChange={() => (all ? selection.clear() : selection.selectAll())}
        >
          {count === 0 && (
            <span className={clsx('pr-3 text-sm text-ink-soft', labelClass)}>
              {t('files.selectAllLabel')}
            </span>
          )}
        </SelectBox>
        {children}
      </div>
    </fieldset>
  )
}
