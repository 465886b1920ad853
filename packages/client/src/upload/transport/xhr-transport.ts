import { NetworkError } from '../errors.ts'
import type { PutRequest, PutResponse, Transport } from '../types.ts'

const MAX_ERROR_CHARS = 4096

/** Sends with XMLHttpRequest, because fetch does not report how much of a body was sent. */
export function xhrTransport(): Transport {
  return {
    put: async (request) => {
      request.signal.throwIfAborted()
      if (!request.body.blob) throw new TypeError('XMLHttpRequest can only send chunks of Blobs')
      return send(request, request.body.blob)
    },
  }
}

function send({ url, headers, signal, onProgress }: PutRequest, blob: Blob): Promise<PutResponse> {
  const xhr = new XMLHttpRequest()
  const stop = (): void => xhr.abort()
  signal.addEventListener('abort', stop, { once: true })
  return new Promise<PutResponse>((resolve, reject) => {
    xhr.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = (event) => onProgress(event.loaded)
    xhr.onload = () => resolve(responseOf(xhr))
    xhr.onerror = () => reject(new NetworkError('The request received no response'))
    xhr.onabort = () => reject(signal.aborted ? signal.reason : new NetworkError('The request was aborted'))
    xhr.send(blob)
  }).finally(() => signal.removeEventListener('abort', stop))
}

function responseOf(xhr: XMLHttpRequest): PutResponse {
  return {
    status: xhr.status,
    etag: header(xhr, 'etag'),
    retryAfter: header(xhr, 'retry-after'),
    text: xhr.status >= 200 && xhr.status < 300 ? '' : xhr.responseText.slice(0, MAX_ERROR_CHARS),
  }
}

/** Reads a header if the list contains it, because reading one that CORS hides logs an error in the console. */
function header(xhr: XMLHttpRequest, name: string): string | null {
  const shown = xhr.getAllResponseHeaders().toLowerCase().split('\r\n')
  return shown.some((line) => line.startsWith(`${name}:`)) ? xhr.getResponseHeader(name) : null
}
