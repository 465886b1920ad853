import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'

export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** Lists objects in pages of up to 1,000, so that memory does not grow with the bucket. */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<ListedObject[]> {
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
