import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'

export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** Lists objects in pages of up to 1,000, so that memory use does not grow with the bucket. */
export async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<ListedObject[]> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
    yield Contents.flatMap(({ Key, Size, LastModified }) =>
      Key ? [{ key: Key, size: Size ?? 0, modifiedAt: LastModified ?? new Date() }] : [],
    )
}
