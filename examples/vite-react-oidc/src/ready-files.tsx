import { useEffect, useState } from 'react'

const EVERY_MS = 1000

type ReadyFile = { fileId: string; filename: string }

/** Files that webhooks have reported to the page's own backend. */
export function ReadyFiles({ token }: { token(): string }) {
  const [files, setFiles] = useState<ReadyFile[]>([])
  useEffect(() => {
    const ask = async () => {
      const headers = { authorization: `Bearer ${token()}` }
      // The backend is unavailable: ask it again.
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
