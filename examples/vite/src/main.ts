// Uploads without a framework.

import { createClient } from '@pigeonhole/client'
import { blobSource, createBrowserUploader } from '@pigeonhole/client/browser'

const client = createClient({ baseUrl: import.meta.env.VITE_PIGEONHOLE_URL, token: fetchToken })
const uploader = createBrowserUploader(client)
const input = document.querySelector('input')!
const [unfinished, uploads] = document.querySelectorAll('ul')

/** Called if there is no token, or if it expires soon. */
async function fetchToken(): Promise<string> {
  const response = await fetch('/api/pigeonhole-token', { method: 'POST' })
  if (!response.ok) throw new Error(`No token: HTTP ${response.status}`)
  return response.text()
}

async function render(): Promise<void> {
  const snapshots = uploader.getSnapshot().uploads.map((upload) => upload.getSnapshot())
  uploads!.replaceChildren(
    ...snapshots.map(({ name, state, error, bytesSent, size }) => {
      const progress = Object.assign(document.createElement('progress'), { value: bytesSent, max: size })
      progress.setAttribute('aria-label', name)
      return item(`${name}: ${error?.message ?? state} `, progress)
    }),
  )
  // A reload interrupts uploads, and pages cannot reopen files. After the user chooses the file again, the rest is sent.
  const entries = await uploader.unfinished().catch(() => [])
  unfinished!.replaceChildren(...entries.map(({ name }) => item(`${name}: choose it again to continue`)))
}

function item(...content: (string | Node)[]): HTMLLIElement {
  const element = document.createElement('li')
  element.append(...content)
  return element
}

input.onchange = () => {
  for (const file of input.files ?? []) uploader.upload(blobSource(file))
}
uploader.subscribe(() => void render())
await render()
