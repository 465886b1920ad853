/**
 * The store as a process of its own:
 *
 *   node packages/emulators/src/s3/main.ts '{"dir":".data/s3","region":"us-east-1","buckets":["files"]}'
 *
 * Options are those of `startS3` (without `clock`) and `controlPort`, as JSON in the first argument or
 * in S3_EMULATOR. Prints one line, `{"url","port","controlUrl","pid"}`, when it listens. Ends on SIGTERM
 * and SIGINT, and with the pipe of its standard input where `"endWithStdin": true` asks for it, so that a
 * killed parent leaves no orphan.
 */
import { openControl } from './control.ts'
import { type S3Options, startS3 } from './index.ts'

type MainOptions = Partial<S3Options> & { controlPort?: number; endWithStdin?: boolean }

const given = JSON.parse(process.argv[2] ?? process.env.S3_EMULATOR ?? '{}') as MainOptions
const { controlPort, endWithStdin, ...options } = given
const emulator = await startS3({
  dir: '.data/s3',
  region: 'us-east-1',
  accessKeyId: 'pigeonhole',
  secretAccessKey: 'pigeonhole-secret',
  buckets: ['pigeonhole'],
  ...options,
})
const control = await openControl(emulator, controlPort, options.host)

async function stop(): Promise<void> {
  await control.close()
  await emulator.close()
  process.exit(0)
}
process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
if (endWithStdin) process.stdin.once('end', () => void stop()).resume()

console.log(
  JSON.stringify({ url: emulator.url, port: emulator.port, controlUrl: control.url, pid: process.pid }),
)
