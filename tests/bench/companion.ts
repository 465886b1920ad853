import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { spawnService } from './environment.ts'

/**
 * Starts `@uppy/companion` in a separate process. Its 291 packages (88 MB) are not devDependencies, which
 * everyone would install. They are installed once from their own lockfile, into .data/bench/companion. The version is 6.2.1, because
 * 6.2.2 requires an exact version of the AWS SDK.
 * @throws Error if the packages cannot be installed
 */
export async function startCompanion(closing: AsyncDisposableStack, env: Record<string, string>) {
  const from = join(ROOT, 'tests/bench/companion')
  const to = join(ROOT, '.data/bench/companion')
  await mkdir(to, { recursive: true })
  for (const file of ['package.json', 'package-lock.json', 'server.mjs'])
    await cp(join(from, file), join(to, file))
  const run = promisify(execFile)
  // Downloads nothing if everything is installed.
  await run('npm', ['ls', '--depth=0'], { cwd: to }).catch(() =>
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: to }),
  )
  const s3 = {
    key: env.S3_ACCESS_KEY_ID,
    secret: env.S3_SECRET_ACCESS_KEY,
    bucket: env.S3_BUCKET,
    region: env.S3_REGION,
    endpoint: env.S3_ENDPOINT,
    forcePathStyle: true,
  }
  const { url, pid } = await spawnService(closing, ['server.mjs', JSON.stringify(s3)], {
    cwd: to,
    env: { PATH: env.PATH!, HOME: env.HOME!, NODE_ENV: 'production' },
  })
  return { url: url!, pid: Number(pid) }
}
