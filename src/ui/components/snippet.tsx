import { useMessages } from '../i18n/messages-provider.tsx'
import type { ButtonVariant } from './button-class.ts'
import { CopyButton } from './copy-button.tsx'

type SnippetProps = {
  label: string
  code: string
  /** Shows all of it at once, for values that the user must not miss a part of. Default: long lines scroll. */
  wrap?: boolean
  /** Emphasis of the copy button. */
  copyVariant?: ButtonVariant
}

/** Code with a copy button. */
export function Snippet({ label, code, wrap, copyVariant = 'ghost' }: SnippetProps) {
  const { t } = useMessages()
  return (
    <figure className="overflow-hidden rounded-lg border border-line text-left">
      <figcaption className="flex flex-wrap items-center gap-x-2 border-b border-line bg-sunken py-1 pr-1 pl-3 text-sm text-ink">
        {/* A label that does not fit beside the button is above it. */}
        <span className="min-w-0 flex-auto py-1">{label}</span>
        <CopyButton
          variant={copyVariant}
          className="ml-auto shrink-0 px-3!"
          text={code}
          doneText={t('common.copied')}
        />
      </figcaption>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard
        tabIndex={0}
        className="overflow-x-auto p-3 text-xs text-ink -outline-offset-2"
      >
        <pre className={wrap ? 'whitespace-pre-wrap wrap-anywhere' : undefined}>
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  )
}
