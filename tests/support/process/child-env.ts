/**
 * Returns the environment of a process that a test starts. It has what every shell has, and the cache of compiled code,
 * without which imports of the server cost each process 1 s of CPU.
 */
export function childEnv(env: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const all: Record<string, string | undefined> = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...env }
  return all as NodeJS.ProcessEnv
}
