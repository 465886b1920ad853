import '@uppy/core/css/style.min.css'
import '@uppy/dashboard/css/style.min.css'
import { ALLOWED_MIME_TYPES, createClient, FILE_MAX_BYTES } from '@pigeonhole/client'
import { Pigeonhole } from '@pigeonhole/client/uppy'
import Uppy from '@uppy/core'
import Dashboard from '@uppy/dashboard'

const baseUrl: string = import.meta.env.VITE_PIGEONHOLE_URL ?? 'http://localhost:3000'
let token: string | undefined
const client = createClient({ baseUrl, token: () => token })

const restrictions = { allowedFileTypes: [...ALLOWED_MIME_TYPES], maxFileSize: FILE_MAX_BYTES }
const uppy = new Uppy({ restrictions })
uppy.use(Pigeonhole, { client })
uppy.on('upload-success', (file, { uploadURL }) => {
  const item = document.createElement('li')
  item.textContent = `${file?.name}: ${uploadURL}`
  document.querySelector('ul')!.append(item)
})

const form = document.querySelector('form')!
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  const [email, password] = [String(fields.get('email')), String(fields.get('password'))]
  try {
    token = (await client.session.create.mutate({ email, password })).token
    form.hidden = true
    uppy.use(Dashboard, {
      inline: true,
      target: '#uploads',
      theme: 'auto',
      width: '100%',
      proudlyDisplayPoweredByUppy: false,
    })
  } catch (error) {
    document.querySelector('output')!.textContent = (error as Error).message
  }
})
