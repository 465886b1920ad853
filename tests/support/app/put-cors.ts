import { PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import type { ClientApp } from './client-app.ts'
import { BUCKET } from './upload-app.ts'

/** Lets pages of `origin` (default: the app's) send PUTs to the store and read these response headers. */
export async function putCors(app: ClientApp, exposed = ['ETag'], origin = app.url): Promise<void> {
  const { credentials, region } = app.config.s3
  const client = new S3Client({ endpoint: app.s3.url, region, forcePathStyle: true, credentials })
  const rule = { AllowedOrigins: [origin], AllowedMethods: ['PUT'], AllowedHeaders: ['content-type'] }
  const CORSRules = [{ ...rule, ExposeHeaders: exposed }]
  await client.send(new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules } }))
  client.destroy()
}
