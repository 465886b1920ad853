'use client'

import { ShownOnce } from '../components/shown-once.tsx'
import { Snippet } from '../components/snippet.tsx'
import { apiKeySnippet } from '../guidance/snippets.ts'
import { useSiteUrl } from '../guidance/use-site-url.ts'
import { useWords } from '../i18n/messages-provider.tsx'

type NewApiKeyProps = { token: string; scopes: string[]; onDone(): void }

/** The key that was just made, and a command that works with it. */
export function NewApiKey({ token, scopes, onDone }: NewApiKeyProps) {
  const { t } = useWords()
  const siteUrl = useSiteUrl()
  return (
    <ShownOnce title={t('apiKeys.madeTitle')} label={t('apiKeys.secret')} secret={token} onDone={onDone}>
      <Snippet label={t('apiKeys.command')} code={apiKeySnippet(siteUrl, token, scopes)} />
    </ShownOnce>
  )
}
