import { png } from '../../e2e/support/files.ts'
import { call, type SceneGroup, type Stage } from '../scene.ts'

const NAME = 'harbour at dawn, the third and last picture that Grace took before the ferry left.png'
let link = ''

/** Shared links as visitors see them. */
export const shares: SceneGroup = {
  scenes: {
    'share-page': async (stage) => {
      link = await share(stage)
      await visit(stage, link)
      await stage.page.getByRole('link', { name: 'Download' }).waitFor()
    },
    'share-page-password': async (stage) => {
      link = await share(stage, { password: 'a swallow' })
      await visit(stage, link)
    },
    'share-page-wrong-password': async ({ page }) => {
      await page.getByLabel('Password').fill('an albatross')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
    'share-page-expired': async (stage) => {
      await stage.stack.query(`UPDATE shares SET expires_at = now() - interval '1 minute'`)
      await visit(stage, link)
    },
    'share-page-revoked': async (stage) => {
      link = await share(stage)
      await stage.stack.query('UPDATE shares SET revoked_at = now()')
      await visit(stage, link)
    },
    'missing-file': async (stage) => {
      const { page, stack, user } = stage
      await page
        .context()
        .addCookies([{ name: 'next-auth.session-token', value: user.token, url: stack.url }])
      await page.goto(`${stack.url}/files/01234567-0000-7000-8000-000000000000`)
    },
  },
}

async function visit({ page }: Stage, url: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(url)
}

async function share(stage: Stage, options: { password?: string } = {}): Promise<string> {
  const bytes = png(600, [20, 60, 120], [250, 190, 120])
  const upload = { filename: NAME, mimeType: 'image/png', size: bytes.length }
  const { fileId, uploadUrl, headers } = await call(stage, 'upload.requestUploadUrl', upload)
  await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) })
  await call(stage, 'upload.confirmUpload', { fileId })
  return (await call(stage, 'shares.create', { fileId, ...options })).url
}
