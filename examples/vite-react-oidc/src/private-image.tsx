import type { Client } from '@pigeonhole/client'
import { useCallback, useEffect, useState } from 'react'

/** An `img` cannot send a JWT, so it gets a URL that is valid for 5 minutes, and a new one if that has expired. */
export function PrivateImage({ client, fileId, alt }: { client: Client; fileId: string; alt: string }) {
  const [url, setUrl] = useState<string>()
  const load = useCallback(async () => {
    setUrl((await client.files.downloadUrl.query({ fileId })).url)
  }, [client, fileId])
  useEffect(() => void load(), [load])
  return url && <img src={url} alt={alt} width={96} loading="lazy" onError={() => void load()} />
}
