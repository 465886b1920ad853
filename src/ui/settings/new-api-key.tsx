import { NewSecret } from '../components/new-secret.tsx'
import { Snippet } from '../components/snippet.tsx'
import { apiKeySnippet } from '../guidance/snippets.ts'
import { useSiteUrl } from '../guidance/use-site-url.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type NewApiKeyProps = { token: string; scopes: string[]; onDone(): void }

/** A new key and a command that uses it. */
export function NewApiKey({ token, scopes, onDone }: NewApiKeyProps) {
  const { t } = useMessages()
  const siteUrl = useSiteUrl()
  return (
    <NewSecret title={t('apiKeys.createdTitle')} label={t('apiKeys.secret')} secret={token} onDone={onDone}>
      <Snippet label={t('apiKeys.command')} code={apiKeySnippet(siteUrl, token, scopes)} wrap />
    </NewSecret>
  )
}
