'use client'

import type { Outputs } from '@pigeonhole/client'
import { Smartphone } from 'lucide-react'
import { DeleteButton } from '../components/delete-button.tsx'
import { IconTile } from '../components/icon-tile.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useClients } from '../context/use-clients.ts'

type DeviceRowProps = { device: Outputs['devices']['list']['items'][number]; onRemoved(): void }

export function DeviceRow({ device, onRemoved }: DeviceRowProps) {
  const { client } = useClients()
  const platform = device.platform === 'ios' ? 'iOS' : 'Android'
  const name = device.name ?? `${platform} device`
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <IconTile icon={Smartphone} />
      <div className="min-w-0 flex-1">
        <p dir="auto" title={name} className="truncate text-left font-medium">
          {name}
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {platform}
          {device.environment === 'sandbox' && ' · development build'} · …{device.tokenSuffix} · last seen{' '}
          <LocalTime at={device.lastSeenAt} />
        </p>
        {device.disabledReason && (
          <p className="text-sm text-warn">
            {device.disabledReason === 'SIGNED_IN_ELSEWHERE'
              ? 'Signed in elsewhere: another account uses the app on this device now and gets its messages.'
              : `Not receiving messages: the push service rejected its token (${device.disabledReason}). Open the app on this device to register it again.`}
          </p>
        )}
      </div>
      <div className="-mr-3">
        <DeleteButton
          label={`Remove ${name}`}
          iconOnly
          title="Remove this device?"
          description={
            <>
              <bdi className="font-medium text-ink">{name}</bdi> will receive no more messages until the app
              on it registers again.
            </>
          }
          confirmLabel="Remove"
          onConfirm={() => client.devices.remove.mutate({ deviceId: device.id })}
          onDeleted={onRemoved}
        />
      </div>
    </li>
  )
}
