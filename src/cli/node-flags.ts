/**
 * Node's flags for the server process, repeated in package.json, the Dockerfile and the documentation. In Node 26, the young
 * generation can grow to twice 32 MB, and an idle server keeps it. In Node 20, it was twice 16 MB. See
 * docs/performance.md.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16']
