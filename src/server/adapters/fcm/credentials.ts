import { readFileSync } from 'node:fs'
import type { Credential } from 'firebase-admin/app'
import type { AwsClientOptions, IdentityPoolClientOptions } from 'google-auth-library'
import type { FetchAccessToken } from './access-token.ts'

const SCOPES = ['https://www.googleapis.com/auth/firebase.messaging']

export type FcmCredentials = {
  projectId: string
  serviceAccount?: { clientEmail: string; privateKey: string }
  /** JSON file with Google's credentials, used without a service account. */
  credentialsFile?: string
}

/** Lifetime of Google's tokens, assumed if the response names none. */
const DEFAULT_LIFETIME_MS = 60 * 60_000

/**
 * Fetches access tokens from Google, or from the endpoint in the credentials file. Uses a new client each time, because
 * the libraries' caches would return a rejected token until it expires.
 * @throws Error if the type of the credentials is not supported
 */
export function fetchAccessTokenWith(credentials: FcmCredentials): FetchAccessToken {
  const { projectId, serviceAccount, credentialsFile } = credentials
  if (serviceAccount) return fromFirebase(({ cert }) => cert({ projectId, ...serviceAccount }))
  if (!credentialsFile)
    throw new Error('FCM needs a service account: set it, or GOOGLE_APPLICATION_CREDENTIALS')
  const file = JSON.parse(readFileSync(credentialsFile, 'utf8'))
  switch (file.type) {
    case 'service_account':
      return fromFirebase(({ cert }) => cert(file))
    case 'authorized_user':
      return fromFirebase(({ refreshToken }) => refreshToken(file))
    case 'external_account':
      return fromExternalAccount(file)
    default:
      throw new Error(
        `The credentials file has the type ${String(file.type)}: use service_account, authorized_user or external_account`,
      )
  }
}

type Firebase = typeof import('firebase-admin/app')

// The libraries are loaded with the first token, because they add 0.1 s to each start.
function fromFirebase(credential: (firebase: Firebase) => Credential): FetchAccessToken {
  return async () => {
    const firebase = await import('firebase-admin/app')
    const { access_token, expires_in } = await credential(firebase).getAccessToken()
    return { value: access_token, expiresAt: new Date(Date.now() + expires_in * 1000) }
  }
}

/**
 * firebase-admin supports external accounts only through `applicationDefault()`: one object per process, which looks for
 * a project with gcloud and the metadata server first, and keeps a rejected token until it expires. The library's own
 * choice of the client, `ExternalAccountClient.fromJSON`, writes a warning to stderr in each process.
 */
function fromExternalAccount(
  file: object & { credential_source?: { environment_id?: string } },
): FetchAccessToken {
  return async () => {
    const { AwsClient, IdentityPoolClient } = await import('google-auth-library')
    const client = file.credential_source?.environment_id
      ? new AwsClient({ ...(file as AwsClientOptions), scopes: SCOPES })
      : new IdentityPoolClient({ ...(file as IdentityPoolClientOptions), scopes: SCOPES })
    const { token } = await client.getAccessToken()
    if (!token) throw new Error('the token endpoint returned no access token')
    return {
      value: token,
      expiresAt: new Date(client.credentials.expiry_date ?? Date.now() + DEFAULT_LIFETIME_MS),
    }
  }
}
