import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'

export type Listed = { key: string; size: number; modifiedAt: Date }

/** Page by page (1,000 objects), so that a bucket of any size fits into memory. */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<Listed[]> {
  let token: string | undefined
  do {
    const command: ListObjectsV2Command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ContinuationToken: token,
    })
    const page = await client.send(command)
    yield (page.Contents ?? []).flatMap(({ Key, Size, LastModified }) =>
      Key ? [{ key: Key, size: Size ?? 0, modifiedAt: LastModified ?? new Date() }] : [],
    )
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token)
}
