import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { removeObjects } from '../../src/server/adapters/s3/remove-objects.ts'

test('DeleteObjects: objects that stay are returned with the store’s code and message, absent ones are not', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () =>
      response.end(`<DeleteResult><Deleted><Key>a</Key></Deleted>
        <Error><Key>b</Key><Code>AccessDenied</Code><Message>Under a retention.</Message></Error>
        <Error><Key>c</Key><Code>NoSuchKey</Code><Message>Not found.</Message></Error></DeleteResult>`),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  })
  try {
    const left = await removeObjects(client, 'bucket', ['a', 'b', 'c', 'd'], AbortSignal.timeout(5_000))
    expect([...left]).toEqual([
      ['b', expect.objectContaining({ name: 'AccessDenied', message: 'Under a retention.' })],
      ['d', expect.objectContaining({ message: 'The store did not remove the object.' })],
    ])
  } finally {
    client.destroy()
    server.closeAllConnections()
    server.close()
  }
})
