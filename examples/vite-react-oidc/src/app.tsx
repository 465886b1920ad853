import { blobSource } from '@pigeonhole/client/browser'
import { useUploads } from '@pigeonhole/client/react'
import { ReadyFiles } from './ready-files.tsx'
import type { Session } from './session.ts'
import { Unfinished } from './unfinished.tsx'
import { UploadRow } from './upload-row.tsx'

export function App({ session }: { session: Session }) {
  const { client, uploader, name } = session
  const { uploads } = useUploads(uploader)
  return (
    <main>
      <h1>Uploads</h1>
      <p>Signed in as {name}</p>
      <label>
        Files{' '}
        <input
          type="file"
          multiple
          onChange={({ target }) => {
            for (const file of target.files ?? []) uploader.upload(blobSource(file))
          }}
        />
      </label>
      <Unfinished uploader={uploader} />
      <ul aria-label="Uploads">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} client={client} />
        ))}
      </ul>
      <ReadyFiles token={session.token} />
    </main>
  )
}
