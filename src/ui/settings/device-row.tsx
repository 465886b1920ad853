import type { Outputs } from '@pigeonhole/client'
import { MonitorSmartphone, Smartphone, TriangleAlert } from 'lucide-react'
import { DeleteButton } from '../components/delete-button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { PLATFORM_NAMES } from '../components/platform-names.ts'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SettingsRow } from './settings-row.tsx'

type DeviceRowProps = { device: Outputs['devices']['list']['items'][number]; onRemoved(): void }

export function DeviceRow({ device, onRemoved }: DeviceRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const platform = PLATFORM_NAMES[device.platform]
  const name = device.name ?? t('devices.unnamed', { platform })
  return (
    <SettingsRow
      icon={device.platform === 'web' ? MonitorSmartphone : Smartphone}
      title={
        <p dir="auto" title={name} className="text-left font-medium">
          {name}
        </p>
      }
      actions={
        <DeleteButton
          label={t('devices.remove', { name })}
          rowLabel={t('devices.removeConfirm')}
          title={t('devices.removeTitle')}
          description={t.rich('devices.removeText', {
            device: name,
            name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
          })}
          confirmLabel={t('devices.removeConfirm')}
          doneText={t('devices.removed')}
          onConfirm={() => client.devices.remove.mutate({ deviceId: device.id })}
          onDeleted={onRemoved}
        />
      }
    >
      <p>
        <DottedParts
          parts={[
            platform,
            ...(device.app === 'default' ? [] : [device.app]),
            ...(device.environment === 'sandbox' ? [t('devices.developmentBuild')] : []),
            `…${device.tokenSuffix}`,
            t.rich('devices.lastSeen', {
              time: device.lastSeenAt,
              when: () => <LocalTime at={device.lastSeenAt} />,
            }),
          ]}
        />
      </p>
      {device.disabledReason && (
        <p className="mt-1 flex gap-2 text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {device.disabledReason === 'SIGNED_IN_ELSEWHERE'
            ? t('devices.movedAway')
            : t('devices.disabled', { reason: device.disabledReason })}
        </p>
      )}
    </SettingsRow>
  )
}
