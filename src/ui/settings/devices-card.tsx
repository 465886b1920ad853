'use client'

import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { useClients } from '../context/use-clients.ts'
import { DeviceRow } from './device-row.tsx'

type Devices = Outputs['devices']['list']
const DEVICES_KEY = ['devices']

/** The devices that receive the user's pushes. */
export function DevicesCard({ initial }: { initial: Devices }) {
  const { client } = useClients()
  const queries = useQueryClient()
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
  }
  return (
    <Card title="Devices" description="Phones where you are signed in to the app.">
      {data.items.length === 0 ? (
        <EmptyState icon={Smartphone} title="No devices yet">
          Sign in to the app on your phone to receive messages there.
        </EmptyState>
      ) : (
        <ul aria-label="Devices" className="divide-y divide-line">
          {data.items.map((device) => (
            <DeviceRow key={device.id} device={device} onRemoved={() => removeFromList(device.id)} />
          ))}
        </ul>
      )}
    </Card>
  )
}
