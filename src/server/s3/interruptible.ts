import type { S3Client } from '@aws-sdk/client-s3'

/** Returns a function that fails all calls of the client, those in progress too: the process is stopping. */
export function interruptible(client: S3Client): () => void {
  const error = new Error('the service is stopping')
  /** Of the calls in progress. One promise for all would collect the calls that ever raced against it. */
  const rejects = new Set<(error: Error) => void>()
  let isInterrupted = false
  client.middlewareStack.add(
    (next) => async (args) => {
      if (isInterrupted) throw error
      const { promise, reject } = Promise.withResolvers<never>()
      rejects.add(reject)
      try {
        return await Promise.race([next(args), promise])
      } finally {
        rejects.delete(reject)
      }
    },
    { step: 'initialize', name: 'interruptible' },
  )
  return () => {
    isInterrupted = true
    for (const reject of rejects) reject(error)
  }
}
