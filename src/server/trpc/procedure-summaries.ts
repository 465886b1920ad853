import type { inferRouterInputs } from '@trpc/server'
import type { AppRouter } from './router.ts'

type Inputs = inferRouterInputs<AppRouter>

/** Names of all procedures, like `upload.status`. */
export type ProcedureName = {
  [R in keyof Inputs & string]: `${R}.${keyof Inputs[R] & string}`
}[keyof Inputs & string]

/** What each procedure does, for the OpenAPI document. */
export const PROCEDURE_SUMMARIES: Record<ProcedureName, string> = {
  'account.usage': 'Bytes that files use, that uploads have reserved, and that are allowed.',
  'account.signUp': 'Creates an account and signs in, where the operator allows it.',
  'account.changePassword': 'Changes the password, ends all sessions and begins a new one.',
  'account.requestEmailVerification': 'Mails a link that proves the email of the account.',
  'account.verifyEmail': 'Proves the email that a link was mailed to. Needs no session.',
  'account.requestPasswordReset':
    'Mails a link that sets a new password, if there is an account with this email; answers alike if not.',
  'account.resetPassword': 'Sets a new password with a mailed link, and ends all sessions.',
  'account.sessions': 'Where the user is signed in, last seen first.',
  'account.revokeSession': 'Ends one session.',
  'account.signOutEverywhere': 'Ends all sessions.',
  'account.delete': 'Deletes the account with its files, devices and push tokens.',
  'apiKeys.create': 'Makes a key for scripts; it is in this answer and never again.',
  'apiKeys.list': 'The keys of the user, newest first, without the keys themselves.',
  'apiKeys.revoke': 'Ends a key at once.',
  'preferences.get': 'Whether the user wants pushes, and which categories are muted.',
  'preferences.update': 'Changes either preference, or both.',
  'session.create': 'Signs in with email and password.',
  'devices.register': 'Registers a device for pushes, or refreshes its registration.',
  'devices.unregister': 'Removes a device by its token. Idempotent.',
  'devices.remove': 'Removes a device by its id. Idempotent.',
  'devices.webPushKey':
    'The key with which browsers subscribe to web push; null: not configured. Needs no session.',
  'devices.list': "The user's devices.",
  'messages.list': 'What the user was sent, newest first.',
  'messages.unread': 'How many messages the user has not read, up to 100.',
  'messages.markRead': 'Marks a message and all before it as read. Idempotent.',
  'messages.sent': "What the user's push tokens have sent, newest first, with counts.",
  'messages.timeline': 'How many devices of a message were sent to, failed or were removed, over time.',
  'messages.failures': 'Why a message failed, and for how many devices.',
  'messages.cancel': 'Cancels what has not been handed to a gateway. Idempotent.',
  'messages.sendTest': "Sends a message to the user's own devices, without a push token.",
  'templates.list': "The user's templates, by name.",
  'templates.save': 'Keeps a message to start from; one of the same name is replaced.',
  'templates.remove': 'Removes a template. Idempotent.',
  'topics.subscribe': 'Subscribes to a topic. Idempotent.',
  'topics.unsubscribe': 'Ends a subscription. Idempotent.',
  'topics.list': "The user's topics.",
  'files.list': "The user's files, by name, type and order.",
  'files.totals': 'Number and bytes of the ready files that match, by type.',
  'files.rename': 'Changes the name that a file is listed and downloaded by.',
  'files.setThumbnail': 'Stores a small WebP picture of a ready file. The first one stays.',
  'files.delete': 'Deletes a file, or ends its unfinished upload. Idempotent.',
  'files.downloadUrl': 'A presigned URL of a ready file, for five minutes.',
  'shares.create': 'Makes a link to a ready file, for people without an account.',
  'shares.list': "The user's links that work, newest first, with how often each was used.",
  'shares.revoke': 'Ends a link at once. Idempotent.',
  'upload.requestUploadUrl': 'Reserves quota and presigns the PUT of a file of up to 10 MB.',
  'upload.confirmUpload': 'Checks the uploaded object and makes the file ready. Idempotent.',
  'upload.initiateMultipart': 'Reserves quota and begins a multipart upload of up to 5 GB.',
  'upload.getPartUrl': 'Presigns the PUT of one part.',
  'upload.getPartUrls': 'Presigns the PUTs of up to 100 parts.',
  'upload.completePart': 'Records the ETag of an uploaded part. Idempotent, in any order.',
  'upload.completeMultipart': 'Joins the parts, checks the object and makes the file ready. Idempotent.',
  'upload.abortMultipart': 'Ends a multipart upload and gives back its quota. Idempotent.',
  'upload.limits': 'What may be uploaded.',
  'upload.status': 'How far an upload is, for resuming it.',
}
