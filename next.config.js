import { existsSync } from 'node:fs'

// Here, because everything that runs Next reads this file before it would report anything: build, dev, start, tests.
process.env.NEXT_TELEMETRY_DISABLED = '1'

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked by `npm run typecheck`, with the same compiler as in the editor.
  typescript: { ignoreBuildErrors: true },
  // No page uses Next's image optimizer; without it /_next/image fetches and scales nothing for anybody.
  images: { unoptimized: true },
  // Its source is TypeScript.
  transpilePackages: ['@pigeonhole/client'],
  compiler: {
    async runAfterProductionCompile({ distDir }) {
      const { hintCompilation } = await import('./src/cli/hint-compilation.ts')
      const { compressBuild } = await import('./src/cli/compress-build.ts')
      await hintCompilation(distDir)
      await compressBuild(distDir)
    },
  },
  experimental: {
    // Load each page on its first request: the start takes 10% less CPU and 60 MB less memory.
    preloadEntriesOnStart: false,
    // What the pages do on the server keeps its names and lines, so that errors in the log can be read as they are:
    // nobody reads maps at run time.
    serverMinification: false,
    serverSourceMaps: false,
    // Writing the cache takes a quarter of a build. The first one is mostly the last (CI, containers, a look at the app).
    turbopackFileSystemCacheForBuild: existsSync(new URL('.next/BUILD_ID', import.meta.url)),
  },
  // Not bundled but loaded from node_modules at run time: they start workers, read files from their own
  // folder or keep state per process.
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
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
    '@aws-sdk/client-s3',
    '@aws-sdk/s3-request-presigner',
    'rate-limiter-flexible',
    'file-type',
  ],
}

export default config
