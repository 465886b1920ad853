/**
 * Node's flags for the server process, repeated in package.json, the Dockerfile and the documentation. In Node 26, the young
 * generation can grow to twice 32 MB, and an idle server keeps it. In Node 20, it was twice 16 MB. See
 * docs/performance.md. The heap can grow to 2.5 times what was alive after the last full collection. By default, it grew to 4
 * times, which kept 140 MB of garbage during broadcasts.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=150']
