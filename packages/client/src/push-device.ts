import type { Observable } from './upload/types.ts'
import {
  disableWebPush,
  enableWebPush,
  type WebPushOptions,
  type WebPushState,
  webPushEndpoint,
  webPushState,
} from './web-push.ts'

/** `busy` while the state is checked or changed, `error` if that failed. For the other values, see WebPushState. */
export type PushDeviceState = WebPushState | 'busy' | 'error'

/** State at one moment. Immutable: a change creates a new object. */
export type PushDeviceSnapshot = Readonly<{
  state: PushDeviceState
  /** True if this browser gets the user's pushes. The target state during a change; null while unknown. */
  isOn: boolean | null
  /** WebPushError if this browser could not subscribe, or the server's error. Null after the next change. */
  error: Error | null
}>

/** This browser as a device of the signed-in user. The functions never reject: the snapshot has their result. */
export type PushDevice = Observable<PushDeviceSnapshot> & {
  /** Asks for permission and registers this browser. Call it from a click: otherwise browsers do not ask. */
  readonly enable: (options?: { name?: string; locale?: string }) => Promise<void>
  /** Removes this browser from the user's devices. Call it before signing out. */
  readonly disable: () => Promise<void>
  /** Checks again, to find changes made elsewhere. */
  readonly refresh: () => Promise<void>
}

/** Length of the token suffix that `devices.list` returns. */
const SUFFIX_LENGTH = 8

/** Creates the push device. Call it once, outside the components. It sends nothing until the first subscription. */
export function createPushDevice(options: WebPushOptions): PushDevice {
  const listeners = new Set<() => void>()
  let snapshot: PushDeviceSnapshot = { state: 'busy', isOn: null, error: null }
  let running: Promise<void> | undefined

  function publish(next: PushDeviceSnapshot): void {
    snapshot = next
    for (const listener of listeners) listener()
  }

  /**
   * Runs steps in order. Starts the first one synchronously: Safari asks for permission only during the click event.
   */
  function run(step: () => Promise<void>): Promise<void> {
    const current = (running ? running.then(step) : step()).finally(() => {
      if (running === current) running = undefined
    })
    running = current
    return current
  }

  async function change(isOn: boolean, act: () => Promise<unknown>): Promise<void> {
    const before = snapshot.isOn
    publish({ state: 'busy', isOn, error: null })
    const failure = await act().then(() => null, asError)
    await look(failure, before)
  }

  /** Publishes the current state. Shows a missing permission rather than the failure that it caused. */
  async function look(failure: Error | null, before: boolean | null): Promise<void> {
    try {
      const state = await stateOf(options)
      const isAllowed = state === 'on' || state === 'off'
      publish({ state: failure && isAllowed ? 'error' : state, isOn: state === 'on', error: failure })
    } catch (error) {
      publish({ state: 'error', isOn: before, error: failure ?? asError(error) })
    }
  }

  const refresh = () => run(() => look(null, snapshot.isOn))
  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      if (listeners.size === 0) void refresh()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    enable: (details) => run(() => change(true, () => enableWebPush({ ...options, ...details }))),
    disable: () => run(() => change(false, () => disableWebPush(options))),
    refresh,
  }
}

/** Returns `on` only if the server lists this browser for this user: another user could have subscribed it. */
async function stateOf({ client, serviceWorker }: WebPushOptions): Promise<WebPushState> {
  const state = await webPushState(serviceWorker)
  if (state !== 'on') return state
  const endpoint = await webPushEndpoint(serviceWorker)
  const { items } = await client.devices.list.query()
  const isOurs = items.some(
    ({ platform, tokenSuffix, disabledReason }) =>
      platform === 'web' && disabledReason === null && tokenSuffix === endpoint?.slice(-SUFFIX_LENGTH),
  )
  return isOurs ? 'on' : 'off'
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
