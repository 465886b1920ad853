// Serves the app over HTTP without Next: the handlers of next-auth and tRPC on a port. For sign-in tests.

import { handleNextAuth } from '../../../src/server/api/http/next-auth/handler.ts'
import { handleTrpc } from '../../../src/server/api/trpc/handler.ts'
import type { Passwords } from '../../../src/server/domain/accounts/password.ts'
import type { AppServices } from '../../../src/server/wiring/build-services.ts'
import { listen } from './listen.ts'
import { startTestApp, type TestApp } from './test-app.ts'
import { trpcRequest } from './trpc-call.ts'

export type HttpAnswer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  data: any
  code?: string
  message?: string
}

export type HttpApp = TestApp & {
  url: string
  call(procedure: string, input?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
}

/** `env` overrides the defaults; sign-up is open. Sets process.env.NEXTAUTH_URL, which next-auth reads directly. */
export async function startHttpApp(
  env: Record<string, string> = {},
  passwords?: Passwords,
): Promise<HttpApp> {
  const ready = Promise.withResolvers<AppServices>()
  const listener = await listen((request) => {
    const handle = request.url.includes('/api/auth/') ? handleNextAuth : handleTrpc
    return handle(request, ready.promise)
  })
  const { url } = listener
  const app = await startTestApp({ NEXTAUTH_URL: url, ALLOW_SIGNUP: 'true', ...env }, undefined, passwords)
  process.env.NEXTAUTH_URL = app.env.NEXTAUTH_URL
  ready.resolve(app.services)

  return {
    ...app,
    url,
    async call(procedure, input, headers) {
      const response = await fetch(trpcRequest(url, procedure, input, headers))
      const body = await response.json()
      return {
        status: response.status,
        headers: response.headers,
        data: body.result?.data ?? body.error?.data,
        code: body.error?.data.code,
        message: body.error?.message,
      }
    },
    async close() {
      delete process.env.NEXTAUTH_URL
      listener.close()
      await app.close()
    },
  }
}
