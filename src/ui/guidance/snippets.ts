// Commands and code that contain this server's address and this user. Users replace the parts in CAPITALS.

/** Creates a session, then registers a device with it. */
export function registerPhoneSnippet(siteUrl: string, email: string): string {
  return `curl ${siteUrl}/api/trpc/session.create -H 'content-type: application/json' \\
  -d '{"email":"${email}","password":"YOUR_PASSWORD"}'

curl ${siteUrl}/api/trpc/devices.register -H 'content-type: application/json' \\
  -H 'authorization: Bearer SESSION_TOKEN' \\
  -d '{"platform":"ios","token":"DEVICE_TOKEN_IN_HEX","name":"My iPhone"}'`
}

/** Creates a push token, which an administrator does once, then sends a message with it. */
export function sendPushSnippet(siteUrl: string, userId: string): string {
  return `curl ${siteUrl}/api/push/token -H 'content-type: application/json' \\
  -H 'authorization: Bearer ADMIN_SECRET' \\
  -d '{"userId":"${userId}","name":"my script"}'

curl ${siteUrl}/api/push/send -H 'content-type: application/json' \\
  -H 'authorization: Bearer PUSH_TOKEN' \\
  -d '{"title":"Hello","body":"The first push"}'`
}

/** Uploads a file from another app. */
export function uploadSnippet(siteUrl: string): string {
  return `import { createClient } from '@pigeonhole/client'
import { blobSource, createBrowserUploader } from '@pigeonhole/client/browser'

const client = createClient({ baseUrl: '${siteUrl}', token: () => SESSION_TOKEN })
const uploader = createBrowserUploader(client)
const upload = uploader.upload(blobSource(FILE))
const { state, file, error } = await upload.settled()`
}

/** A call that the API key's scopes allow: lists files, starts an upload or deletes a file. */
export function apiKeySnippet(siteUrl: string, token: string, scopes: readonly string[]): string {
  const key = `-H 'authorization: Bearer ${token}'`
  if (scopes.includes('files:read')) return `curl ${siteUrl}/api/trpc/files.list ${key}`
  const json = `-H 'content-type: application/json' \\
  ${key}`
  if (scopes.includes('uploads:write'))
    return `curl ${siteUrl}/api/trpc/upload.requestUploadUrl ${json} \\
  -d '{"filename":"photo.png","mimeType":"image/png","size":1024}'`
  return `curl ${siteUrl}/api/trpc/files.delete ${json} \\
  -d '{"fileId":"FILE_ID"}'`
}

/** A call that the server key's scopes allow: lists files or users, or creates a user token. */
export function serverKeySnippet(siteUrl: string, serverKey: string, scopes: readonly string[]): string {
  const key = `-H 'authorization: Bearer ${serverKey}'`
  if (scopes.includes('files:read')) return `curl ${siteUrl}/api/admin/files ${key}`
  if (scopes.includes('users:read')) return `curl ${siteUrl}/api/admin/users ${key}`
  if (scopes.includes('user-tokens:create')) return userTokenSnippet(siteUrl, serverKey)
  if (scopes.includes('users:write'))
    return `curl ${siteUrl}/api/admin/users -H 'content-type: application/json' \\
  ${key} \\
  -d '{"externalId":"YOUR_USER_ID"}'`
  if (scopes.includes('topics:write'))
    return `curl -X PUT ${siteUrl}/api/push/topics/TOPIC/users/USER_ID \\
  ${key}`
  if (scopes.includes('files:verdict'))
    return `curl ${siteUrl}/api/admin/files/FILE_ID/verdict -H 'content-type: application/json' \\
  ${key} \\
  -d '{"verdict":"accept"}'`
  return `curl -X DELETE ${siteUrl}/api/admin/files/FILE_ID \\
  ${key}`
}

/** Creates a user token, with which an app uploads files of its user. */
export function userTokenSnippet(siteUrl: string, serverKey = 'SERVER_KEY'): string {
  return `curl ${siteUrl}/api/admin/user-tokens -H 'content-type: application/json' \\
  -H 'authorization: Bearer ${serverKey}' \\
  -d '{"externalId":"YOUR_USER_ID"}'`
}

/** Sends a message with a push token. */
export function pushTokenSnippet(siteUrl: string, token: string): string {
  return `curl ${siteUrl}/api/push/send -H 'content-type: application/json' \\
  -H 'authorization: Bearer ${token}' \\
  -d '{"title":"Hello","body":"The first push"}'`
}

/** Creates a push token with the administrator's secret. */
export function createPushTokenSnippet(siteUrl: string, userId: string): string {
  return `curl ${siteUrl}/api/push/token -H 'content-type: application/json' \\
  -H 'authorization: Bearer ADMIN_SECRET' \\
  -d '{"userId":"${userId}","name":"my script"}'`
}

/** Sends a message to all devices. */
export function broadcastSnippet(siteUrl: string): string {
  return `curl ${siteUrl}/api/push/send -H 'content-type: application/json' \\
  -H 'authorization: Bearer PUSH_TOKEN' \\
  -d '{"title":"Hello","body":"To everyone","all":true}'`
}

/** Creates a webhook with the administrator's secret. */
export function createWebhookSnippet(siteUrl: string): string {
  return `curl ${siteUrl}/api/admin/webhooks -H 'content-type: application/json' \\
  -H 'authorization: Bearer ADMIN_SECRET' \\
  -d '{"url":"https://YOUR_SERVER/hooks","events":["file.ready"]}'`
}
