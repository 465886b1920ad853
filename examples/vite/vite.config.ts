import { createServerClient } from '@pigeonhole/client/server'
import { defineConfig, loadEnv, type Plugin } from 'vite'

/** Your backend, here in Vite's dev server: gives the signed-in user a token. The server key never reaches a page. */
function backend({ PIGEONHOLE_URL = '', PIGEONHOLE_KEY = '' }: Record<string, string>): Plugin {
  return {
    name: 'backend',
    configureServer({ middlewares }) {
      const pigeonhole = createServerClient({ baseUrl: PIGEONHOLE_URL, key: PIGEONHOLE_KEY })
      middlewares.use('/api/pigeonhole-token', async (request, response, next) => {
        if (request.method !== 'POST') return next()
        try {
          // The ID of the user whom your session names.
          const { token } = await pigeonhole.userTokens.create({ externalId: 'ada' })
          response.end(token)
        } catch (error) {
          next(error)
        }
      })
    },
  }
}

export default defineConfig(({ mode }) => ({
  plugins: [backend(loadEnv(mode, import.meta.dirname, 'PIGEONHOLE_'))],
}))
