// An app's backend in Express: lets its user upload avatars, scans each one, and shows it once it is accepted.

import { createServerClient, verifyWebhook } from '@pigeonhole/client/server'
import express from 'express'
import { scan } from './clamd.ts'

const { PIGEONHOLE_URL = 'http://localhost:3000', PIGEONHOLE_KEY = '', WEBHOOK_SECRET = '' } = process.env
const { files, userTokens } = createServerClient({ baseUrl: PIGEONHOLE_URL, key: PIGEONHOLE_KEY })
const externalId = 'ada' // The signed-in user of your app.
const app = express()

app.get('/', (_, response) => response.sendFile('index.html', { root: import.meta.dirname }))

app.post('/upload-token', async (_, response) => {
  const { token } = await userTokens.create({ externalId, upload: { policy: 'avatar' } })
  response.json({ url: PIGEONHOLE_URL, token })
})

app.get('/avatar', async (_, response) => {
  const [avatar] = (await files.list({ externalId, state: 'READY', limit: 1 })).items
  if (!avatar) return response.sendStatus(404)
  response.redirect((await files.url(avatar.id)).url)
})

app.post('/webhooks', express.text({ type: 'application/json' }), async ({ headers, body }, response) => {
  const delivery = { headers: new Headers(headers as Record<string, string>), text: async () => body }
  const event = await verifyWebhook(delivery, WEBHOOK_SECRET).catch(() => null)
  if (!event) return response.sendStatus(400)
  // A scan can take longer than a webhook waits.
  response.sendStatus(204)
  await checkHeld()
})

/** Checks all held files, also those whose event this process has missed. A failed check is repeated in a minute. */
async function checkHeld() {
  try {
    for (const { id } of (await files.list({ state: 'HELD', limit: 100 })).items)
      await check(id).catch((error) => console.error(id, error))
  } catch (error) {
    console.error(error)
  }
}

async function check(id: string) {
  const virus = await scan((await files.url(id)).url)
  const rejection = { verdict: 'reject', reason: `The file contains ${virus}.` } as const
  await files.verdict(id, virus ? rejection : { verdict: 'accept' })
}

setInterval(checkHeld, 60_000)
void checkHeld()
app.listen(Number(process.env.PORT ?? 5176), '127.0.0.1', () => console.log('The backend listens.'))
