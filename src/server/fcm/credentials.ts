import { readFileSync } from 'node:fs'
import {
  AwsClient,
  type AwsClientOptions,
  IdentityPoolClient,
  type IdentityPoolClientOptions,
  JWT,
  UserRefreshClient,
} from 'google-auth-library'
import type { FetchAccessToken } from './access-token.ts'

const SCOPES = ['https://www.googleapis.com/auth/firebase.messaging']

export type FcmCredentials = {
  serviceAccount?: { clientEmail: string; privateKey: string }
  /** JSON file as GOOGLE_APPLICATION_CREDENTIALS names it; used without a service account. */
  credentialsFile?: string
}

/** The little of google-auth-library's clients that is needed. */
type Client = {
  getAccessToken(): Promise<{ token?: string | null }>
  credentials: { expiry_date?: number | null }
}

/** Google's tokens live an hour; assumed where the answer does not say. */
const DEFAULT_LIFE_MS = 60 * 60_000

/**
 * Asks Google, or whatever the credentials file names, for access tokens. A new client each time, since the
 * library's caches would give a refused token back until it expires.
 * @throws Error if the credentials are of a kind that is not supported
 */
export function fetchAccessTokenWith(credentials: FcmCredentials): FetchAccessToken {
  const makeClient = clientMaker(credentials)
  return async () => {
    const client = makeClient()
    const { token } = await client.getAccessToken()
    if (!token) throw new Error('the token endpoint gave no access token')
    return {
      value: token,
      expiresAt: new Date(client.credentials.expiry_date ?? Date.now() + DEFAULT_LIFE_MS),
    }
  }
}

function clientMaker({ serviceAccount, credentialsFile }: FcmCredentials): () => Client {
  if (serviceAccount)
    return () =>
      new JWT({ email: serviceAccount.clientEmail, key: serviceAccount.privateKey, scopes: SCOPES })
  if (!credentialsFile) throw new Error('FCM needs a service account or GOOGLE_APPLICATION_CREDENTIALS')
  const file = JSON.parse(readFileSync(credentialsFile, 'utf8'))
  switch (file.type) {
    case 'service_account':
      return () => new JWT({ email: file.client_email, key: file.private_key, scopes: SCOPES })
    case 'authorized_user':
      return () =>
        new UserRefreshClient({
          clientId: file.client_id,
          clientSecret: file.client_secret,
          refreshToken: file.refresh_token,
        })
    case 'external_account':
      return file.credential_source?.environment_id
        ? () => new AwsClient({ ...(file as AwsClientOptions), scopes: SCOPES })
        : () => new IdentityPoolClient({ ...(file as IdentityPoolClientOptions), scopes: SCOPES })
    default:
      throw new Error(
        `GOOGLE_APPLICATION_CREDENTIALS is of type ${String(file.type)}; supported are service_account, authorized_user and external_account`,
      )
  }
}
