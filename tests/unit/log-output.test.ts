import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const LOG = fileURLToPath(new URL('../../src/server/adapters/telemetry/log.ts', import.meta.url))

/** Returns the output of a process that logs lines and then ends in this way. */
async function written(end: string): Promise<string[]> {
  const code = `
    const { createLog } = await import(${JSON.stringify(LOG)})
    const [one, two] = [createLog('info'), createLog('info')]
    for (let n = 0; n < 500; n++) (n % 2 ? one : two).info({ n }, 'line')
    ${end}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  return stdout.trimEnd().split('\n')
}

test.each([
  ['process.exit', 'process.exit(0)'],
  ['having nothing more to do', ''],
])('a process that ends by %s has written every line, in order', async (_, end) => {
  const lines = (await written(end)).map((line) => JSON.parse(line).n)
  expect(lines).toEqual(Array.from({ length: 500 }, (_, n) => n))
})

test('after a turn of the event loop, nothing is lost, regardless of how the process ends', async () => {
  const killed = written('setImmediate(() => setImmediate(() => process.kill(process.pid, "SIGKILL")))')
  const { stdout } = await killed.then(
    () => expect.unreachable(),
    (error: { stdout: string }) => error,
  )
  expect(stdout.trimEnd().split('\n')).toHaveLength(500)
})
