import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { useClients } from '../context/use-clients.ts'
import { Guide } from '../guidance/guide.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { DeviceRow } from './device-row.tsx'
import { useBrowserDevice } from './use-browser-device.ts'

/** Query key of the user's devices. */
export const DEVICES_KEY = ['devices']

type Devices = Outputs['devices']['list']

/** The devices that receive the user's pushes. */
export function DevicesCard({ initial }: { initial: Devices }) {
  const { client } = useClients()
  const { t } = useMessages()
  const queries = useQueryClient()
  const browserDevice = useBrowserDevice()
  const { data } = useQuery({
    queryKey: DEVICES_KEY,
    queryFn: () => client.devices.list.query(),
    initialData: initial,
  })
  function removeFromList(deviceId: string) {
    queries.setQueryData<Devices>(
      DEVICES_KEY,
      (old) => old && { items: old.items.filter(({ id }) => id !== deviceId) },
    )
    // The removed device can be this browser.
    void browserDevice.refresh()
  }
  return (
    <Card title={t('devices.title')} description={t('devices.text')}>
      {data.items.length === 0 ? (
        <EmptyState
          compact
          icon={Smartphone}
          title={t('devices.emptyTitle')}
          guide={<Guide topic="registerPhone" />}
        >
          {t('devices.emptyText')}
        </EmptyState>
      ) : (
        <ul aria-label={t('devices.list')} className="divide-y divide-line">
          {data.items.map((device) => (
            <DeviceRow key={device.id} device={device} onRemoved={() => removeFromList(device.id)} />
          ))}
        </ul>
      )}
    </Card>
  )
}
