import type { Operation } from '../types.ts'
import * as config from './bucket-config.ts'
import * as buckets from './buckets.ts'
import { completeMultipartUpload } from './complete.ts'
import type { Handler } from './context.ts'
import { copyObject } from './copy.ts'
import { getObject } from './get.ts'
import { listObjects, listObjectsV2 } from './list-objects.ts'
import { listMultipartUploads, listParts } from './listing.ts'
import * as multipart from './multipart.ts'
import { putObject, putObjectAcl } from './put.ts'
import { deleteObject, deleteObjects } from './remove.ts'

/** Handlers of all operations. */
export const HANDLERS: Record<Exclude<Operation, 'Preflight' | 'Unknown'>, Handler> = {
  AbortMultipartUpload: multipart.abortMultipartUpload,
  CompleteMultipartUpload: completeMultipartUpload,
  CopyObject: copyObject,
  CreateBucket: buckets.createBucket,
  CreateMultipartUpload: multipart.createMultipartUpload,
  DeleteBucket: buckets.deleteBucket,
  DeleteBucketCors: config.deleteBucketCors,
  DeleteBucketLifecycle: config.deleteBucketLifecycle,
  DeleteBucketPolicy: config.deleteBucketPolicy,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  GetBucketCors: config.getBucketCors,
  GetBucketLifecycleConfiguration: config.getBucketLifecycle,
  GetBucketLocation: buckets.getBucketLocation,
  GetBucketPolicy: config.getBucketPolicy,
  GetObject: getObject,
  HeadBucket: buckets.headBucket,
  HeadObject: getObject,
  ListBuckets: buckets.listBuckets,
  ListMultipartUploads: listMultipartUploads,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListParts: listParts,
  PutBucketCors: config.putBucketCors,
  PutBucketLifecycleConfiguration: config.putBucketLifecycle,
  PutBucketPolicy: config.putBucketPolicy,
  PutObject: putObject,
  PutObjectAcl: putObjectAcl,
  UploadPart: multipart.uploadPart,
  UploadPartCopy: multipart.uploadPartCopy,
}
