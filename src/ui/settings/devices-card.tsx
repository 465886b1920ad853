'use client'

import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Smartphone, Trash2 } from 'lucide-react'
import { IconButton } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Empty } from '../parts/empty.tsx'
import { LocalTime } from '../parts/local-time.tsx'
import { AskFirst } from '../shell/ask-first.tsx'
import { useEngine } from '../shell/context.tsx'

type Devices = Outputs['devices']['list']
type Device = Devices['items'][number]
const KEY = ['devices']

/** The phones that get this person's pushes. */
export function DevicesCard({ initial }: { initial: Devices }) {
  const { client } = useEngine()
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => client.devices.list.query(),
    initialData: initial,
  })
  return (
    <Card title="Devices" hint="Phones on which you are signed in to the app.">
      {data.items.length === 0 ? (
        <Empty icon={Smartphone} title="No devices yet">
          Sign in on a phone, and it appears here and gets your messages.
        </Empty>
      ) : (
        <ul aria-label="Devices" className="divide-y divide-line">
          {data.items.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function DeviceRow({ device }: { device: Device }) {
  const { client } = useEngine()
  const queries = useQueryClient()
  const system = device.platform === 'ios' ? 'iOS' : 'Android'
  const name = device.name ?? `${system} device`
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <span className="flex size-10 shrink-0 items-center justify-center rounded-lg bg-sunken text-ink-soft">
        <Smartphone aria-hidden="true" className="size-5" />
      </span>
      <div className="min-w-0 flex-1">
        <p dir="auto" title={name} className="truncate text-left font-medium">
          {name}
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {system}
          {device.environment === 'sandbox' && ' · development build'} · …{device.tokenSuffix} · seen{' '}
          <LocalTime at={device.lastSeenAt} />
        </p>
        {device.disabledReason && (
          <p className="text-sm text-warn">
            Gets nothing: the push gateway refused its token ({device.disabledReason}). Open the app on it to
            repair that.
          </p>
        )}
      </div>
      <div className="-mr-3">
        <AskFirst
          button={(ask) => (
            <IconButton label={`Remove ${name}`} onClick={ask}>
              <Trash2 aria-hidden="true" className="size-4" />
            </IconButton>
          )}
          title="Remove this device?"
          text={
            <>
              <bdi className="font-medium text-ink">{name}</bdi> gets no more messages until the app on it
              registers again.
            </>
          }
          action="Remove"
          run={() => client.devices.remove.mutate({ deviceId: device.id })}
          onDone={() =>
            queries.setQueryData<Devices>(
              KEY,
              (old) => old && { items: old.items.filter(({ id }) => id !== device.id) },
            )
          }
        />
      </div>
    </li>
  )
}
