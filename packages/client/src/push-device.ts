import type { Observable } from './upload/types.ts'
import {
  disableWebPush,
  enableWebPush,
  type WebPushOptions,
  type WebPushState,
  webPushEndpoint,
  webPushState,
} from './web-push.ts'

/** `busy`: it is being looked at or changed. `error`: that failed, `error` says why. The others: see WebPushState. */
export type PushDeviceState = WebPushState | 'busy' | 'error'

/** At one moment. Immutable: another moment is another object. */
export type PushDeviceSnapshot = Readonly<{
  state: PushDeviceState
  /** Whether this browser gets the user's pushes; while it is changed, what it is changed to. Null: not known yet. */
  isOn: boolean | null
  /** A WebPushError if this browser could not subscribe; else what the server answered. Until the next change. */
  error: Error | null
}>

/** This browser as a device of the signed-in user. The functions never reject: what came of them is in the snapshot. */
export type PushDevice = Observable<PushDeviceSnapshot> & {
  /** Asks for permission and registers this browser. Call it from a click: browsers ask only then. */
  readonly enable: (options?: { name?: string; locale?: string }) => Promise<void>
  /** Takes it from the user's devices. Call it before signing out. */
  readonly disable: () => Promise<void>
  /** Looks again, for changes that were made elsewhere. */
  readonly refresh: () => Promise<void>
}

/** As `devices.list` shows tokens. */
const SUFFIX_LENGTH = 8

/** Made once, outside the components. Nothing is asked for before somebody subscribes. */
export function createPushDevice(options: WebPushOptions): PushDevice {
  const listeners = new Set<() => void>()
  let snapshot: PushDeviceSnapshot = { state: 'busy', isOn: null, error: null }
  let running: Promise<void> | undefined

  function publish(next: PushDeviceSnapshot): void {
    snapshot = next
    for (const listener of listeners) listener()
  }

  /** One after another. At once if nothing runs: Safari asks for permission in the turn of the click only. */
  function run(step: () => Promise<void>): Promise<void> {
    const mine = (running ? running.then(step) : step()).finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  async function change(isOn: boolean, act: () => Promise<unknown>): Promise<void> {
    const before = snapshot.isOn
    publish({ state: 'busy', isOn, error: null })
    const failure = await act().then(() => null, asError)
    await look(failure, before)
  }

  /** What the browser does not allow says more than what failed because of it. */
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

/** `on` only if the server has this browser as a device of this user: somebody else may have subscribed it. */
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
