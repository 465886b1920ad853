import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import type { FormEvent } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { LazyPreferenceSelects } from '../layout/lazy-preference-selects.tsx'

/** The user's name, and this browser's language and appearance. */
export function ProfileCard() {
  const { user } = useSession()
  const { client } = useClients()
  const { t } = useMessages()
  const { notify } = useAnnouncer()
  const router = useRouter()
  const saving = useMutation({
    mutationFn: (name: string) => client.account.rename.mutate({ name: name === '' ? null : name }),
    onSuccess() {
      notify(t('profile.saved'), 'info')
      // The layout also shows the name.
      router.refresh()
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!saving.isPending) saving.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  return (
    <Card
      title={t('profile.title')}
      titleHidden="phones"
      description={t('profile.email', { email: user.email })}
    >
      <form onSubmit={submit} method="post" className="flex flex-wrap items-start gap-2 px-4 py-4 sm:px-5">
        <TextField
          label={t('profile.name')}
          name="name"
          defaultValue={user.name ?? ''}
          maxLength={100}
          autoComplete="name"
          dir="auto"
          className="min-w-48 flex-1 sm:max-w-80"
          attempt={saving.submittedAt}
          error={
            saving.isError ? errorText(t, saving.error, { BAD_REQUEST: 'signUp.nameInvalid' }) : undefined
          }
        />
        <Button type="submit" busy={saving.isPending} className="min-h-11 sm:mt-6.5">
          {t('profile.save')}
        </Button>
      </form>
      {/* As high as the two selects, so that nothing below them moves. Each is below its label, like the name. */}
      <div className="min-h-47 border-t border-line px-4 py-4 text-sm sm:px-5">
        <div className="space-y-4 sm:max-w-80 [&_label]:flex-col [&_label]:items-stretch [&_label]:gap-1.5 [&_label]:font-medium">
          <LazyPreferenceSelects />
        </div>
      </div>
    </Card>
  )
}
