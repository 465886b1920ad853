import { createPushDevice, type PushDevice } from '@pigeonhole/client/push'
import { useClients } from '../context/use-clients.ts'

let shared: { client: object; device: PushDevice } | undefined

/** Returns this browser as a push device. Pages share it: one that opens during a change shows the result. */
export function useBrowserDevice(): PushDevice {
  const { client } = useClients()
  if (shared?.client !== client) shared = { client, device: createPushDevice({ client }) }
  return shared.device
}
