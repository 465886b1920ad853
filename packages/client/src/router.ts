// Written by "npm run client:types" from src/server/api/trpc/router.ts. Do not edit.

import type {
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCDecorateCreateRouterOptions,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from '@trpc/server'
import type { FieldErrors } from './error-codes.ts'

type ErrorShape = {
  code: TRPC_ERROR_CODE_NUMBER
  message: string
  data: {
    missingParts?: number[]
    wrongParts?: number[]
    reason?:
      | 'busy'
      | 'email_unverified'
      | 'reauthentication_required'
      | 'passkey_required'
      | 'quota'
      | 'too_many_uploads'
      | 'too_many_files'
      | 'too_many_bytes'
      | 'service_full'
    path: string | undefined
    requestId: string | undefined
    code: string
    httpStatus: number
    fieldErrors: FieldErrors | undefined
    retryAfterSeconds?: number | undefined
  }
}

export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  TRPCDecorateCreateRouterOptions<{
    account: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        usage: TRPCQueryProcedure<{
          input: void
          output: { used: number; reserved: number; quota: number }
          meta: object
          errorShape: ErrorShape
        }>
        signUp: TRPCMutationProcedure<{
          input: { email: string; password: string; name?: string | undefined }
          output: {
            token: string
            expiresAt: string
            user: { id: string; email: string; name: string | null }
          }
          meta: object
          errorShape: ErrorShape
        }>
        changePassword: TRPCMutationProcedure<{
          input: { currentPassword?: string | undefined; newPassword: string }
          output: {
            token: string
            expiresAt: string
            user: { id: string; email: string; name: string | null }
            success: true
          }
          meta: object
          errorShape: ErrorShape
        }>
        rename: TRPCMutationProcedure<{
          input: { name: string | null }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        signInMethods: TRPCQueryProcedure<{
          input: void
          output: { password: boolean; providers: ('github' | 'google' | 'oidc')[]; passkey: boolean }
          meta: object
          errorShape: ErrorShape
        }>
        reauthenticate: TRPCMutationProcedure<{
          input: { password: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        requestEmailVerification: TRPCMutationProcedure<{
          input: void
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        emailVerification: TRPCMutationProcedure<{
          input: { token: string }
          output: { email: string }
          meta: object
          errorShape: ErrorShape
        }>
        verifyEmail: TRPCMutationProcedure<{
          input: { token: string }
          output: { success: true; email: string; resetToken: string | null }
          meta: object
          errorShape: ErrorShape
        }>
        requestPasswordReset: TRPCMutationProcedure<{
          input: { email: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        passwordReset: TRPCMutationProcedure<{
          input: { token: string }
          output: { email: string }
          meta: object
          errorShape: ErrorShape
        }>
        resetPassword: TRPCMutationProcedure<{
          input: { token: string; password: string; endKeysAndShares?: boolean | undefined }
          output: { success: true; email: string }
          meta: object
          errorShape: ErrorShape
        }>
        sessions: TRPCQueryProcedure<{
          input: void
          output: {
            items: {
              id: string
              createdAt: string
              lastSeenAt: string
              client: string | null
              current: boolean
            }[]
          }
          meta: object
          errorShape: ErrorShape
        }>
        revokeSession: TRPCMutationProcedure<{
          input: { id: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        signOutEverywhere: TRPCMutationProcedure<{
          input: void
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        delete: TRPCMutationProcedure<{
          input: { password?: string | undefined }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    apiKeys: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        create: TRPCMutationProcedure<{
          input: {
            name: string
            expiresInDays?: number | undefined
            scopes: ('files:delete' | 'files:read' | 'uploads:write')[]
          }
          output: { id: string; token: string; expiresAt: string }
          meta: object
          errorShape: ErrorShape
        }>
        list: TRPCQueryProcedure<{
          input: void
          output: {
            items: {
              id: string
              name: string
              scopes: string[]
              suffix: string | null
              createdAt: string
              expiresAt: string
              lastUsedAt: string | null
            }[]
          }
          meta: object
          errorShape: ErrorShape
        }>
        revoke: TRPCMutationProcedure<{
          input: { id: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    passkeys: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        list: TRPCQueryProcedure<{
          input: void
          output: {
            items: {
              id: string
              name: string
              createdAt: string
              lastUsedAt: string | null
              backedUp: boolean
            }[]
            required: boolean
            recoveryCodes: number
            hasPassword: boolean
          }
          meta: object
          errorShape: ErrorShape
        }>
        registrationOptions: TRPCMutationProcedure<{
          input: void
          output: {
            challenge: string
            rp: { id: string; name: string }
            user: { id: string; name: string; displayName: string }
            pubKeyCredParams: { type: 'public-key'; alg: number }[]
            timeout: number
            attestation: 'none'
            excludeCredentials: { id: string; type: 'public-key'; transports?: string[] | undefined }[]
            authenticatorSelection: {
              residentKey: 'required'
              requireResidentKey: true
              userVerification: 'required'
            }
          }
          meta: object
          errorShape: ErrorShape
        }>
        register: TRPCMutationProcedure<{
          input: {
            response: {
              id: string
              rawId: string
              type: 'public-key'
              response: {
                clientDataJSON: string
                attestationObject: string
                transports?: string[] | undefined
              }
            }
            name?: string | undefined
          }
          output: { id: string; name: string; recoveryCodes: string[] | null }
          meta: object
          errorShape: ErrorShape
        }>
        rename: TRPCMutationProcedure<{
          input: { id: string; name: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        delete: TRPCMutationProcedure<{
          input: { id: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        setRequired: TRPCMutationProcedure<{
          input: { required: boolean }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        removePassword: TRPCMutationProcedure<{
          input: void
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        createRecoveryCodes: TRPCMutationProcedure<{
          input: void
          output: { recoveryCodes: string[] }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    preferences: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        get: TRPCQueryProcedure<{
          input: void
          output: { pushEnabled: boolean; mutedCategories: string[] }
          meta: object
          errorShape: ErrorShape
        }>
        update: TRPCMutationProcedure<{
          input: { pushEnabled?: boolean | undefined; mutedCategories?: string[] | undefined }
          output: { pushEnabled: boolean; mutedCategories: string[] }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    session: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        create: TRPCMutationProcedure<{
          input: { email: string; password: string }
          output: {
            token: string
            expiresAt: string
            user: { id: string; email: string; name: string | null }
          }
          meta: object
          errorShape: ErrorShape
        }>
        passkeyOptions: TRPCMutationProcedure<{
          input: void
          output: { challenge: string; rpId: string; timeout: number; userVerification: 'required' }
          meta: object
          errorShape: ErrorShape
        }>
        createWithPasskey: TRPCMutationProcedure<{
          input: {
            response: {
              id: string
              rawId: string
              type: 'public-key'
              response: {
                clientDataJSON: string
                authenticatorData: string
                signature: string
                userHandle?: string | undefined
              }
            }
          }
          output: {
            token: string
            expiresAt: string
            user: { id: string; email: string; name: string | null }
          }
          meta: object
          errorShape: ErrorShape
        }>
        createWithRecoveryCode: TRPCMutationProcedure<{
          input: { email: string; password?: string | undefined; recoveryCode: string }
          output: {
            token: string
            expiresAt: string
            user: { id: string; email: string; name: string | null }
          }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    devices: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        register: TRPCMutationProcedure<{
          input:
            | {
                platform: 'ios'
                token: string
                app?: string | undefined
                name?: string | undefined
                locale?: string | undefined
                environment?: 'production' | 'sandbox' | undefined
              }
            | {
                platform: 'android'
                token: string
                app?: string | undefined
                name?: string | undefined
                locale?: string | undefined
                environment?: 'production' | 'sandbox' | undefined
              }
            | {
                platform: 'web'
                subscription: {
                  endpoint: string
                  expirationTime?: number | null | undefined
                  keys: { p256dh: string; auth: string }
                }
                app?: string | undefined
                name?: string | undefined
                locale?: string | undefined
              }
          output: { id: string }
          meta: object
          errorShape: ErrorShape
        }>
        unregister: TRPCMutationProcedure<{
          input: { token: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        remove: TRPCMutationProcedure<{
          input: { deviceId: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        webPushKey: TRPCQueryProcedure<{
          input: void
          output: { publicKey: string | null }
          meta: object
          errorShape: ErrorShape
        }>
        list: TRPCQueryProcedure<{
          input: void
          output: {
            items: {
              id: string
              platform: 'android' | 'ios' | 'web'
              app: string
              name: string | null
              environment: 'production' | 'sandbox'
              tokenSuffix: string
              disabledReason: string | null
              createdAt: string
              lastSeenAt: string
            }[]
          }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    messages: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        list: TRPCQueryProcedure<{
          input:
            | {
                cursor?: string | null | undefined
                direction?: 'forward' | undefined
                limit?: number | undefined
                category?: string | undefined
              }
            | undefined
          output: {
            items: {
              id: string
              title: string
              subtitle: string | null
              body: string
              category: string
              imageUrl: string | null
              link: string | null
              data: Record<string, unknown>
              broadcast: boolean
              unread: boolean
              createdAt: string
            }[]
            nextCursor: string | null
          }
          meta: object
          errorShape: ErrorShape
        }>
        unread: TRPCQueryProcedure<{
          input: void
          output: { count: number }
          meta: object
          errorShape: ErrorShape
        }>
        markRead: TRPCMutationProcedure<{
          input: { messageId: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        sent: TRPCQueryProcedure<{
          input:
            | {
                cursor?: string | null | undefined
                direction?: 'forward' | undefined
                limit?: number | undefined
                status?: 'cancelled' | 'completed' | 'failed' | 'scheduled' | 'sending' | undefined
                query?: string | undefined
              }
            | undefined
          output: {
            items: {
              id: string
              status: 'cancelled' | 'completed' | 'dry-run' | 'queued' | 'scheduled' | 'sending'
              audience: { ios: number; android: number; web: number }
              sent: number
              failed: number
              removed: number
              failures: { deviceId: string; platform: 'android' | 'ios' | 'web'; reason: string }[]
              sendAt?: string | undefined
              title: string | null
              body: string | null
              category: string
              target: 'all' | 'topic' | 'user' | 'users'
              topic: string | null
              recipient: { id: string; email: string | null; name: string | null } | null
              tokenName: string
              createdAt: string
            }[]
            nextCursor: string | null
          }
          meta: object
          errorShape: ErrorShape
        }>
        status: TRPCQueryProcedure<{
          input: { messageId: string }
          output: {
            id: string
            status: 'cancelled' | 'completed' | 'dry-run' | 'queued' | 'scheduled' | 'sending'
            audience: { ios: number; android: number; web: number }
            sent: number
            failed: number
            removed: number
            failures: { deviceId: string; platform: 'android' | 'ios' | 'web'; reason: string }[]
            sendAt?: string | undefined
            title: string | null
            body: string | null
            category: string
            target: 'all' | 'topic' | 'user' | 'users'
            topic: string | null
            recipient: { id: string; email: string | null; name: string | null } | null
            tokenName: string
            createdAt: string
            content: Record<string, unknown>
            userId: string | null
          }
          meta: object
          errorShape: ErrorShape
        }>
        failures: TRPCQueryProcedure<{
          input: { messageId: string }
          output: { items: { platform: 'android' | 'ios' | 'web'; reason: string; count: number }[] }
          meta: object
          errorShape: ErrorShape
        }>
        timeline: TRPCQueryProcedure<{
          input: { messageId: string }
          output: { minutes: number; items: { at: string; sent: number; failed: number; removed: number }[] }
          meta: object
          errorShape: ErrorShape
        }>
        cancel: TRPCMutationProcedure<{
          input: { messageId: string }
          output: {
            id: string
            status: 'cancelled' | 'completed' | 'dry-run' | 'queued' | 'scheduled' | 'sending'
            audience: { ios: number; android: number; web: number }
            sent: number
            failed: number
            removed: number
            failures: { deviceId: string; platform: 'android' | 'ios' | 'web'; reason: string }[]
            sendAt?: string | undefined
            title: string | null
            body: string | null
            category: string
            target: 'all' | 'topic' | 'user' | 'users'
            topic: string | null
            recipient: { id: string; email: string | null; name: string | null } | null
            tokenName: string
            createdAt: string
          }
          meta: object
          errorShape: ErrorShape
        }>
        sendTest: TRPCMutationProcedure<{
          input: {
            badge?: number | undefined
            sound?: string | undefined
            imageUrl?: string | undefined
            subtitle?: string | undefined
            threadId?: string | undefined
            interruptionLevel?: 'active' | 'passive' | 'time-sensitive' | undefined
            relevanceScore?: number | undefined
            mutableContent?: boolean | undefined
            actionCategory?: string | undefined
            androidChannelId?: string | undefined
            link?: string | undefined
            translations?:
              | Record<string, { title: string; body: string; subtitle?: string | undefined }>
              | undefined
            apns?:
              | { aps?: Record<string, unknown> | undefined; headers?: Record<string, string> | undefined }
              | undefined
            android?: Record<string, unknown> | undefined
            apps?: string[] | undefined
            category?: string | undefined
            collapseId?: string | undefined
            ttlSeconds?: number | undefined
            priority?: 'high' | 'normal' | undefined
            title: string
            body: string
            data?: Record<string, unknown> | undefined
          }
          output: {
            id: string
            status: 'cancelled' | 'completed' | 'dry-run' | 'queued' | 'scheduled' | 'sending'
            audience: { ios: number; android: number; web: number }
            sent: number
            failed: number
            removed: number
            failures: { deviceId: string; platform: 'android' | 'ios' | 'web'; reason: string }[]
            sendAt?: string | undefined
            unknownUserIds?: string[] | undefined
          }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    templates: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        list: TRPCQueryProcedure<{
          input: void
          output: { items: { name: string; content: Record<string, unknown>; updatedAt: string }[] }
          meta: object
          errorShape: ErrorShape
        }>
        save: TRPCMutationProcedure<{
          input: {
            name: string
            content: {
              badge?: number | undefined
              sound?: string | undefined
              imageUrl?: string | undefined
              subtitle?: string | undefined
              threadId?: string | undefined
              interruptionLevel?: 'active' | 'passive' | 'time-sensitive' | undefined
              relevanceScore?: number | undefined
              mutableContent?: boolean | undefined
              actionCategory?: string | undefined
              androidChannelId?: string | undefined
              link?: string | undefined
              translations?:
                | Record<string, { title: string; body: string; subtitle?: string | undefined }>
                | undefined
              apns?:
                | { aps?: Record<string, unknown> | undefined; headers?: Record<string, string> | undefined }
                | undefined
              android?: Record<string, unknown> | undefined
              apps?: string[] | undefined
              category?: string | undefined
              collapseId?: string | undefined
              ttlSeconds?: number | undefined
              priority?: 'high' | 'normal' | undefined
              title?: string | undefined
              body?: string | undefined
              silent?: boolean | undefined
              data?: Record<string, unknown> | undefined
              topic?: string | undefined
            }
          }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        remove: TRPCMutationProcedure<{
          input: { name: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    topics: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        subscribe: TRPCMutationProcedure<{
          input: { topic: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        unsubscribe: TRPCMutationProcedure<{
          input: { topic: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        list: TRPCQueryProcedure<{
          input: void
          output: { items: { topic: string; subscribedAt: string }[] }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    files: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        list: TRPCQueryProcedure<{
          input:
            | {
                cursor?: string | null | undefined
                direction?: 'forward' | undefined
                query?: string | undefined
                mimeTypes?: string[] | undefined
                limit?: number | undefined
                sort?: 'largest' | 'name' | 'newest' | 'oldest' | undefined
              }
            | undefined
          output: {
            items: {
              id: string
              filename: string
              mimeType: string
              size: number
              state: 'ABORTED' | 'EXPIRED' | 'HELD' | 'PENDING' | 'READY' | 'REJECTED' | 'UPLOADING'
              url: string | null
              thumbnailUrl: string | null
              visibility: 'private' | 'public'
              visibilityFixed: boolean
              shared: boolean
              policy: string | null
              data: Record<string, string | number | boolean> | null
              createdAt: string
            }[]
            nextCursor: string | null
          }
          meta: object
          errorShape: ErrorShape
        }>
        totals: TRPCQueryProcedure<{
          input: { query?: string | undefined; mimeTypes?: string[] | undefined } | undefined
          output: {
            items: { mimeType: string; files: number; bytes: number }[]
            trash: { files: number; bytes: number }
          }
          meta: object
          errorShape: ErrorShape
        }>
        rename: TRPCMutationProcedure<{
          input: { fileId: string; filename: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        setVisibility: TRPCMutationProcedure<{
          input: { fileId: string; visibility: 'private' | 'public' }
          output: { success: true; visibility: 'private' | 'public'; url: string }
          meta: object
          errorShape: ErrorShape
        }>
        setThumbnail: TRPCMutationProcedure<{
          input: { fileId: string; data: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        delete: TRPCMutationProcedure<{
          input: { fileId: string; trash?: boolean | undefined }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        trash: TRPCQueryProcedure<{
          input:
            | {
                cursor?: string | null | undefined
                direction?: 'forward' | undefined
                limit?: number | undefined
              }
            | undefined
          output: {
            items: {
              id: string
              filename: string
              mimeType: string
              size: number
              policy: string | null
              data: Record<string, string | number | boolean> | null
              createdAt: string
              trashedAt: string
              expiresAt: string
            }[]
            nextCursor: string | null
          }
          meta: object
          errorShape: ErrorShape
        }>
        restore: TRPCMutationProcedure<{
          input: { fileId: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        emptyTrash: TRPCMutationProcedure<{
          input: void
          output: { success: true; deleted: number }
          meta: object
          errorShape: ErrorShape
        }>
        downloadUrl: TRPCQueryProcedure<{
          input: { fileId: string; download?: boolean | undefined }
          output: { url: string; expiresAt: string }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    shares: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        create: TRPCMutationProcedure<{
          input: { fileId: string; expiresInDays?: number | undefined; password?: string | undefined }
          output: { id: string; url: string; expiresAt: string }
          meta: object
          errorShape: ErrorShape
        }>
        list: TRPCQueryProcedure<{
          input: { fileId?: string | undefined } | undefined
          output: {
            items: {
              id: string
              fileId: string
              filename: string
              url: string | null
              createdAt: string
              expiresAt: string
              downloads: number
              hasPassword: boolean
            }[]
          }
          meta: object
          errorShape: ErrorShape
        }>
        revoke: TRPCMutationProcedure<{
          input: { id: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
    upload: TRPCBuiltRouter<
      { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
      TRPCDecorateCreateRouterOptions<{
        requestUploadUrl: TRPCMutationProcedure<{
          input: {
            filename: string
            mimeType: string
            size: number
            idempotencyKey?: string | undefined
            policy?: string | undefined
            data?: Record<string, string | number | boolean> | undefined
          }
          output: {
            uploadUrl: string
            fileId: string
            key: string
            expiresAt: string
            headers: Record<string, string>
          }
          meta: object
          errorShape: ErrorShape
        }>
        confirmUpload: TRPCMutationProcedure<{
          input: { fileId: string }
          output: {
            success: true
            file: { id: string; filename: string; url: string; state?: 'HELD' | undefined }
          }
          meta: object
          errorShape: ErrorShape
        }>
        initiateMultipart: TRPCMutationProcedure<{
          input: {
            filename: string
            mimeType: string
            size: number
            totalParts: number
            idempotencyKey?: string | undefined
            policy?: string | undefined
            data?: Record<string, string | number | boolean> | undefined
          }
          output: { fileId: string; uploadId: string; key: string; partSize: number }
          meta: object
          errorShape: ErrorShape
        }>
        getPartUrl: TRPCMutationProcedure<{
          input: { fileId: string; partNumber: number }
          output: { uploadUrl: string; expiresAt: string; headers: Record<string, string> }
          meta: object
          errorShape: ErrorShape
        }>
        getPartUrls: TRPCMutationProcedure<{
          input: { fileId: string; partNumbers: number[] }
          output: {
            parts: { partNumber: number; uploadUrl: string; headers: Record<string, string> }[]
            expiresAt: string
          }
          meta: object
          errorShape: ErrorShape
        }>
        completePart: TRPCMutationProcedure<{
          input: { fileId: string; partNumber: number; etag: string }
          output: { success: true; uploadedParts: number[] }
          meta: object
          errorShape: ErrorShape
        }>
        completeMultipart: TRPCMutationProcedure<{
          input: { fileId: string }
          output: {
            success: true
            file: { id: string; filename: string; url: string; state?: 'HELD' | undefined }
          }
          meta: object
          errorShape: ErrorShape
        }>
        abortMultipart: TRPCMutationProcedure<{
          input: { fileId: string }
          output: { success: true }
          meta: object
          errorShape: ErrorShape
        }>
        limits: TRPCQueryProcedure<{
          input: { policy?: string | undefined } | undefined
          output: {
            mimeTypes: string[]
            maxSimpleBytes: number
            maxMultipartBytes: number
            partBytes: number
            maxOpenUploads: number
          }
          meta: object
          errorShape: ErrorShape
        }>
        status: TRPCQueryProcedure<{
          input: { fileId: string }
          output: {
            fileId: string
            state: 'ABORTED' | 'EXPIRED' | 'HELD' | 'PENDING' | 'READY' | 'REJECTED' | 'UPLOADING'
            size: number
            partSize: number | null
            totalParts: number | null
            uploadedParts: number[] | null
            parts: { partNumber: number; size: number; etag: string }[] | null
            expiresAt: string | null
            policy: string | null
            data: Record<string, string | number | boolean> | null
          }
          meta: object
          errorShape: ErrorShape
        }>
      }>
    >
  }>
>
