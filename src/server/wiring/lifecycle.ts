import { within } from '../kernel/time-limit.ts'

/** Time for sweeps to finish at shutdown. Other replicas repeat the rest. */
const SWEEP_DRAIN_MS = 3_000

/** Steps of a part of the process when it starts and stops. Each can be asynchronous. */
type Part = {
  /** Starts background work. */
  start?(): unknown
  /** Stops that work. Work in progress finishes within the part's own time limit. Requests are still served. */
  drain?(): unknown
  /** Closes connections. Nothing is served after this. */
  close?(): unknown
}

type Sweeper = { start(): unknown; close(): Promise<unknown> }

export type Lifecycle = ReturnType<typeof createLifecycle>

/** Collects the parts of one process. Each part registers where it is created. */
export function createLifecycle() {
  const parts: Part[] = []
  let drained: Promise<unknown> | undefined
  const register = (part: Part) => void parts.push(part)
  const drain = () => {
    drained ??= Promise.all(parts.map((part) => part.drain?.()))
    return drained
  }
  return {
    /** Parts start in this order, drain at the same time, and close in reverse order. */
    register,
    registerSweeper: (sweeper: Sweeper) =>
      register({ start: sweeper.start, drain: () => within(SWEEP_DRAIN_MS, sweeper.close()) }),
    async start() {
      for (const part of parts) await part.start?.()
    },
    drain,
    async close() {
      await drain()
      for (const part of parts.toReversed()) await part.close?.()
    },
  }
}
