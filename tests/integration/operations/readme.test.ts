// Runs every flow of the README.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'
import type { TestUser } from '../../support/users.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
let server: SharedServer
let user: TestUser
let env: Record<string, string | undefined>

beforeAll(async () => {
  server = await sharedServer()
  user = await server.user()
  env = {
    ...childEnv(),
    PIGEONHOLE_URL: server.url,
    PUSH_TOKEN_ADMIN_SECRET: ADMIN_SECRET,
    USER_ID: user.id,
  }
})

/** Returns the code block after `<!-- run by ...: NAME -->`. */
function block(name: string): string {
  const match = new RegExp(`readme\\.test\\.ts: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\n\`\`\``).exec(README)
  if (!match) throw new Error(`README.md has no block "${name}"`)
  return match[1]!
}

async function shell(name: string) {
  const { stdout } = await promisify(execFile)('bash', ['-c', block(name)], { env: env as NodeJS.ProcessEnv })
  return JSON.parse(stdout)
}

/** Runs a TypeScript block in a Node process that, like a signed-in page, has relative URLs and the session. */
async function page(name: string, call: string): Promise<string> {
  const prelude = `
    const plain = globalThis.fetch
    globalThis.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input, process.env.PIGEONHOLE_URL)
      const headers = new Headers(init?.headers)
      if (url.origin === process.env.PIGEONHOLE_URL) headers.set('authorization', process.env.SESSION)
      return plain(url, { ...init, headers })
    }\n`
  const own: Record<string, string | undefined> = { ...env, SESSION: user.headers.authorization }
  const program = `${prelude}${block(name)}\nconsole.log(await ${call})\n`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--no-warnings', '-e', program],
    { env: own as NodeJS.ProcessEnv, cwd: ROOT },
  )
  return stdout.trim()
}

describe('README.md', () => {
  test('the frontend flow uploads a file', async () => {
    const png = `new File([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')], 'bird.png', { type: 'image/png' })`
    const url = await page('frontend', `upload(${png})`)
    expect(url).toMatch(new RegExp(`^${server.env.NEXTAUTH_URL}/files/`))
    const answer = await fetch(`${server.url}${new URL(url).pathname}`, { headers: user.headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  test('an administrator creates a token with curl, and a script sends a push with it', async () => {
    await server.ok(user, 'devices.register', { platform: 'ios', token: 'ab'.repeat(32) })
    const { token } = await shell('token')
    env.PUSH_TOKEN = token
    expect(await shell('send')).toMatchObject({ status: 'completed', sent: 1 })
    expect(server.stack.apns.requestLog.accepted.at(-1)?.payload).toMatchObject({
      aps: { alert: { title: 'Build finished', body: 'All green' } },
      build: 1234,
    })
  })

  test('the typed flows type-check', async () => {
    const dir = mkdtempSync(join(ROOT, '.data', 'readme-'))
    try {
      for (const name of ['frontend', 'engine']) writeFileSync(join(dir, `${name}.ts`), block(name))
      const config = {
        extends: '../../tsconfig.json',
        include: ['*.ts', '../../next-env.d.ts'],
        exclude: [],
      }
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
      await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), [
        '--noEmit',
        '--incremental',
        'false',
        '-p',
        dir,
      ])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('every command and every linked page exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const [, name] of README.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name)
    for (const [, path] of README.matchAll(/\]\(([\w./-]+)\)/g))
      expect([path, existsSync(join(ROOT, path!))]).toEqual([path, true])
  })
})
