// The build that built-server.ts starts, but behind Next's own request handler.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { childEnv } from './child-env.ts'

export type NextServer = { url: string; log: string[]; close(): Promise<void> }

export async function startNextServer(env: Record<string, string>): Promise<NextServer> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('next-server.child.ts', import.meta.url))], {
    env: childEnv({ ...env, NODE_ENV: 'production' }),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const log: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      log.push(line)
      if (line.startsWith('{"url"')) resolve(JSON.parse(line).url)
    })
    exited.then(() => reject(new Error(`Next's server ended:\n${log.join('\n')}`)))
  })
  return {
    url,
    log,
    async close() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
