/** V8's format of a CPU profile. Times are microseconds. */
export type CpuProfile = {
  nodes: ProfileNode[]
  samples: number[]
  timeDeltas: number[]
  startTime: number
}
type ProfileNode = {
  id: number
  callFrame: { functionName: string; url: string }
  children?: number[]
}

export type Layer = { layer: string; micros: number; top: string }

/**
 * Layers by the URL of a function, the innermost one on the stack first. Functions that serve all layers, such as those of
 * node:internal, belong to whichever called them.
 */
const LAYERS: [layer: string, url: RegExp][] = [
  ['log', /telemetry\/log\.ts|\/(pino|sonic-boom|quick-format-unescaped|safe-stable-stringify)\//],
  ['metrics', /telemetry\/(?!log\.ts)|\/prom-client\/|serve\/observe-requests/],
  ['signing', /adapters\/s3\//],
  ['statement', /adapters\/postgres\/|\/(pg|pg-protocol|pg-pool|pg-types|postgres-\w+)\//],
  ['validation', /\/zod\/|\/schema\.ts|kernel\/(text|validation)\.ts/],
  ['session', /domain\/accounts\/|api\/access\/|\/(jose|next-auth|@panva)\//],
  ['upload', /domain\/(uploads|shares)\/|kernel\//],
  [
    'response',
    /serve\/(send-response|send-error|unread-responses)|^node:_http_(outgoing|server)|^node:_http_common/,
  ],
  ['request', /serve\/|cli\/|\/srvx\/|\/@trpc\/|api\/(trpc|http)\/|^node:internal\/deps\/undici|wiring\//],
]
const NATIVE = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'Node and system calls outside JavaScript'],
])

/** Returns the time of each layer between two times of the monotonic clock, largest first. Idle time is left out. */
export function layersOf(profile: CpuProfile, window: { from: number; to: number }): Layer[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map<number, number>()
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id)
  const layers = new Map(profile.nodes.map(({ id }) => [id, layerOf(id)]))
  const micros = new Map<string, Map<string, number>>()
  let now = profile.startTime
  for (const [n, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[n]!
    now += delta
    const layer = layers.get(id)
    if (now < window.from || now > window.to || layer === undefined) continue
    const { functionName, url } = nodes.get(id)!.callFrame
    const name = `${functionName || '(anonymous)'} ${url.split('/').at(-1)}`.trim()
    const byFunction = micros.get(layer) ?? new Map<string, number>()
    micros.set(layer, byFunction.set(name, (byFunction.get(name) ?? 0) + delta))
  }
  return [...micros]
    .map(([layer, byFunction]) => {
      const functions = [...byFunction].sort((a, b) => b[1] - a[1])
      const top = functions.slice(0, 3).map(([name]) => name)
      return { layer, micros: functions.reduce((sum, [, time]) => sum + time, 0), top: top.join(', ') }
    })
    .sort((a, b) => b.micros - a.micros)

  /** Returns undefined for idle time. */
  function layerOf(leaf: number): string | undefined {
    const { functionName } = nodes.get(leaf)!.callFrame
    if (functionName === '(idle)') return undefined
    const native = NATIVE.get(functionName)
    if (native) return native
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const { url } = nodes.get(id)!.callFrame
      const found = LAYERS.find(([, pattern]) => pattern.test(url))
      if (found) return found[0]
    }
    return 'socket'
  }
}
