/**
 * Of the server's process, as in package.json, the Dockerfile and the documentation. In Node 26 the young generation may
 * grow to twice 32 MB, and an idle server keeps it; in Node 20 it was twice 16 MB. See docs/performance.md.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16']
