/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm run typecheck` checks the types, in one place and with the same compiler as the editor.
  typescript: { ignoreBuildErrors: true },
  // Its source is TypeScript.
  transpilePackages: ['@pigeonhole/client'],
  // Loaded from node_modules at run time instead of being bundled: they start workers, read files
  // beside themselves or keep state per process.
  serverExternalPackages: [
    '@prisma/client',
    '@prisma/adapter-pg',
    'pg',
    'pino',
    'undici',
    'google-auth-library',
    'firebase-admin',
    'apns2',
    'prom-client',
    '@aws-sdk/client-s3',
    '@aws-sdk/s3-request-presigner',
    'rate-limiter-flexible',
    'file-type',
  ],
}

export default config
