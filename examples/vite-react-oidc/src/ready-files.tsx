import { useEffect, useState } from 'react'

const EVERY_MS = 1000

type ReadyFile = { fileId: string; filename: string }

/** What the page's own backend knows of: it was told by webhooks. */
export function ReadyFiles({ token }: { token(): string }) {
  const [files, setFiles] = useState<ReadyFile[]>([])
  useEffect(() => {
    const ask = async () => {
      const headers = { authorization: `Bearer ${token()}` }
      // Away: it is asked again.
      const response = await fetch('/backend/files', { headers }).catch(() => null)
      if (response?.ok) setFiles(await response.json())
    }
    void ask()
    const timer = setInterval(ask, EVERY_MS)
    return () => clearInterval(timer)
  }, [token])
  return (
    <section>
      <h2>Known to the backend</h2>
      <ul aria-label="Known to the backend">
        {files.map(({ fileId, filename }) => (
          <li key={fileId}>{filename} is ready</li>
        ))}
      </ul>
    </section>
  )
}
