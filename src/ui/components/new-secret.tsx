import { KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Snippet } from './snippet.tsx'

type NewSecretProps = {
  /** Event, such as "API key created". */
  title: string
  /** Kind of secret, such as "API key". */
  label: string
  secret: string
  /** Default: it is shown once. */
  text?: string
  /** Example of its use, such as a command that contains it. */
  children?: ReactNode
  onDone(): void
}

/** A new secret, which the server returns only once. */
export function NewSecret({ title, label, secret, text, children, onDone }: NewSecretProps) {
  const { t } = useMessages()
  return (
    <NewSecretSection title={title}>
      <p className="text-sm text-ink-soft">{text ?? t('common.shownOnce')}</p>
      <Snippet copyVariant="primary" label={label} code={secret} wrap />
      {children}
      <Button onClick={onDone}>{t('common.done')}</Button>
    </NewSecretSection>
  )
}

/** Section with a new secret. Takes the focus, because it replaces the form that created the secret. */
export function NewSecretSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section
      aria-labelledby={id}
      className="space-y-3 border-line not-last:border-b bg-accent-soft/40 px-4 py-4 last:rounded-b-xl sm:px-5"
    >
      <h3 ref={heading} id={id} tabIndex={-1} className="flex items-center gap-2 font-semibold outline-none">
        <KeyRound aria-hidden="true" className="size-4 shrink-0 text-accent" />
        {title}
      </h3>
      {children}
    </section>
  )
}
