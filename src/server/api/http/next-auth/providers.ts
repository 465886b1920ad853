import CredentialsModule from 'next-auth/providers/credentials'
import GitHubModule from 'next-auth/providers/github'
import GoogleModule from 'next-auth/providers/google'
import type { Provider } from 'next-auth/providers/index'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import type { Config } from '../../../config/config.ts'
import { githubUser } from './github-user.ts'
import type { Claims } from './identity.ts'
import { callable } from './interop.ts'

const Credentials = callable(CredentialsModule)
const GitHub = callable(GitHubModule)
const Google = callable(GoogleModule)

type Login = { id: string; email: string; name: string | null }
type OidcProfile = Claims & { sub: string }

/** Returns sign-in with email and password, and the configured providers. */
export function providersFor(
  config: Config,
  authorize: (credentials: Record<string, string> | undefined) => Promise<Login | null>,
): Provider[] {
  const { github, google, oidc } = config.providers
  const providers: Provider[] = [
    Credentials({
      name: 'Email and password',
      credentials: {
        email: { label: 'Email', type: 'email' },
        password: { label: 'Password', type: 'password' },
      },
      authorize,
    }),
  ]
  if (github)
    providers.push(
      GitHub({
        ...github,
        checks: ['pkce', 'state'],
        userinfo: { request: ({ tokens }) => githubUser(tokens.access_token ?? '') },
      }),
    )
  if (google) providers.push(Google({ ...google, checks: ['pkce', 'state', 'nonce'] }))
  if (oidc) providers.push(oidcProvider(oidc))
  return providers
}

function oidcProvider(oidc: NonNullable<Config['providers']['oidc']>): OAuthConfig<OidcProfile> {
  return {
    id: 'oidc',
    name: 'Single sign-on',
    type: 'oauth',
    wellKnown: `${oidc.issuer}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    userinfo: {
      // The ID token is already verified. If it has no email, the userinfo endpoint returns it.
      async request({ client, tokens }) {
        // The type has only the fields of a token set, but next-auth passes an instance of openid-client's class.
        const set = tokens as unknown as Exclude<Parameters<typeof client.userinfo>[0], string>
        const claims = set.claims()
        const complete = claims.email !== undefined || !client.issuer.metadata.userinfo_endpoint
        return complete ? claims : { ...claims, ...(await client.userinfo(set)) }
      },
    },
    profile: (profile) => ({ id: profile.sub }),
  }
}
