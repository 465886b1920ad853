import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, onTestFinished, test } from 'vitest'
import { connectS3 } from '../src/s3/remote.ts'
import { BUCKET, KEY, MIB, REGION, sdk, sendSigned, tempDir } from './s3.client.ts'

const MAIN = new URL('../src/main.ts', import.meta.url).pathname

type Started = { child: ChildProcess; url: string; controlUrl: string }

async function start(dir: string, port = 0): Promise<Started> {
  // Create the clients one after another, because the SDK modifies the credentials object.
  const { accessKeyId, secretAccessKey } = KEY
  const keys = { accessKeyId, secretAccessKey }
  const options = { dir, port, region: REGION, ...keys, buckets: [BUCKET], endWithStdin: true }
  const child = spawn(process.execPath, [MAIN, 's3', JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { url: string; controlUrl: string }) }
}

test('the store runs as a process, accepts faults from outside, and loses nothing after kill -9', async () => {
  const dir = await tempDir()
  const first = await start(dir)
  const remote = connectS3(first.controlUrl)
  const put = (key: string, body: string | Buffer = 'hello') =>
    sendSigned(first.url, { method: 'PUT', path: `/${BUCKET}/${key}`, body })
  await put('a')
  await remote.faults.add({ operation: 'PutObject', action: { kind: 'hold', name: 'h', point: 'after' } })
  const lost = put('b')
  lost.catch(() => {})
  expect(await remote.faults.waitForHeld('h')).toMatchObject({ key: 'b' })
  await expect(remote.faults.waitForHeld('x', 10)).rejects.toThrow('No request was held as "x"')
  expect(await remote.requestLog.waitFor((entry) => entry.key === 'a')).toMatchObject({ status: 200 })
  expect(await remote.requestLog.bytesStored()).toBe(10)
  await remote.faults.add({ keyPrefix: 'cut', action: { kind: 'throttle', bytesPerSecond: MIB } })
  const cut = put('cut', Buffer.alloc(8 * MIB))
  cut.catch(() => {})
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  await expect(lost).rejects.toThrow()
  await expect(cut).rejects.toThrow()

  const second = await start(dir, Number(new URL(first.url).port))
  const again = connectS3(second.controlUrl)
  expect((await again.requestLog.objects()).map((one) => one.key)).toEqual(['a', 'b'])
  await sdk(second.url).send(new PutObjectCommand({ Bucket: BUCKET, Key: 'c', Body: 'x' }))
  await again.down()
  await expect(sendSigned(second.url, { path: `/${BUCKET}/a` })).rejects.toThrow(/ECONNREFUSED/)
  await again.up()
  expect((await sendSigned(second.url, { path: `/${BUCKET}/c` })).body).toBe('x')
  second.child.stdin?.end()
  expect(await once(second.child, 'exit')).toEqual([0, null])
})

test('the control server accepts only JSON and known calls', async () => {
  const { controlUrl } = await start(await tempDir())
  const simple = await fetch(`${controlUrl}/down`, { method: 'POST', body: '[]' })
  expect(simple.status).toBe(404)
  const unknown = await fetch(`${controlUrl}/nothing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  expect(unknown.status).toBe(404)
})
