'use client'

import type { Inputs, Outputs } from '@pigeonhole/client'
import * as Switch from '@radix-ui/react-switch'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { passFocusOn } from '../parts/focus.ts'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { useEngine, wordsFor } from '../shell/context.tsx'

type Preferences = Outputs['preferences']['get']
const KEY = ['preferences']

/** Whether pushes come at all, and which kinds do not. Saved as soon as it is changed. */
export function PreferencesCard({ initial }: { initial: Preferences }) {
  const { client } = useEngine()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => client.preferences.get.query(),
    initialData: initial,
  })
  const save = useMutation({
    mutationFn: (change: Inputs['preferences']['update']) => client.preferences.update.mutate(change),
    // Shown at once, and taken back if it cannot be saved.
    onMutate: (change) => {
      const before = queries.getQueryData<Preferences>(KEY)
      queries.setQueryData<Preferences>(KEY, (old) => old && { ...old, ...change })
      return before
    },
    onSuccess: (saved) => queries.setQueryData(KEY, saved),
    onError: (_error, _change, before) => queries.setQueryData(KEY, before),
  })
  const label = useId()
  return (
    <Card title="Notifications" hint="They hold for all your devices, and for messages to everybody too.">
      <div className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
        <div>
          <p id={label} className="font-medium">
            Push notifications
          </p>
          <p className="text-sm text-ink-soft">
            {data.pushEnabled ? 'On: messages reach your phones.' : 'Off: nothing reaches your phones.'}
          </p>
        </div>
        <Switch.Root
          aria-labelledby={label}
          checked={data.pushEnabled}
          onCheckedChange={(pushEnabled) => save.mutate({ pushEnabled })}
          className="relative h-7 w-12 shrink-0 rounded-full bg-line-strong transition-colors data-[state=checked]:bg-accent forced-colors:border"
        >
          <Switch.Thumb className="block size-5 translate-x-1 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-6 forced-colors:bg-[ButtonText] motion-reduce:transition-none" />
        </Switch.Root>
      </div>
      <Muted muted={data.mutedCategories} onChange={(mutedCategories) => save.mutate({ mutedCategories })} />
      {save.isError && (
        <Notice tone="error" className="mx-4 mb-4 sm:mx-5">
          {wordsFor(save.error)}
        </Notice>
      )}
    </Card>
  )
}

function Muted({ muted, onChange }: { muted: string[]; onChange(muted: string[]): void }) {
  const [error, setError] = useState<string>()
  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('category')).trim()
    if (name === '') return setError('Type the name of a category.')
    setError(undefined)
    form.reset()
    if (!muted.includes(name)) onChange([...muted, name])
  }
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">Muted categories</p>
      <p className="text-sm text-ink-soft">
        Senders give each message a category; without one it is “general”. Messages in these stay silent.
      </p>
      {muted.length > 0 && (
        <ul aria-label="Muted categories" className="mt-3 flex flex-wrap gap-2">
          {muted.map((name) => (
            <li
              key={name}
              className="flex items-center rounded-full bg-sunken pl-3 forced-colors:border text-sm"
            >
              <bdi>{name}</bdi>
              <button
                type="button"
                aria-label={`Unmute ${name}`}
                onClick={(event) => {
                  passFocusOn(event.currentTarget)
                  onChange(muted.filter((other) => other !== name))
                }}
                className="flex size-9 items-center justify-center rounded-full text-ink-soft hover:text-ink"
              >
                <X aria-hidden="true" className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={add} className="mt-3 flex items-end gap-2">
        <TextField
          label="Category to mute"
          name="category"
          maxLength={100}
          autoComplete="off"
          placeholder="marketing"
          error={error}
          className="w-full max-w-64"
        />
        <Button type="submit" className="min-h-11">
          Mute
        </Button>
      </form>
    </div>
  )
}
