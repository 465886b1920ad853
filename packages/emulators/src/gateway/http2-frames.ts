/** The parts of HTTP/2 framing (RFC 9113) and HPACK (RFC 7541) that the benchmark mode needs. */
export const FRAME_HEADER_BYTES = 9
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

export const DATA = 0x0
export const HEADERS = 0x1
export const SETTINGS = 0x4
export const PING = 0x6
export const GOAWAY = 0x7
export const WINDOW_UPDATE = 0x8

export const END_STREAM = 0x1
export const ACK = 0x1
export const END_HEADERS = 0x4
export const PADDED = 0x8
export const PRIORITY = 0x20

export const SETTINGS_MAX_CONCURRENT_STREAMS = 0x3

export function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(streamId, 5)
  payload.copy(bytes, FRAME_HEADER_BYTES)
  return bytes
}

export function settingFrame(id: number, value: number): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(id, 0)
  payload.writeUInt32BE(value, 2)
  return frame(SETTINGS, 0, 0, payload)
}

export function windowUpdate(bytes: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(bytes, 0)
  return frame(WINDOW_UPDATE, 0, 0, payload)
}

/**
 * Returns the encoded value of `:path` in a header block, or null if it is indexed. Does not decode it: an encoder
 * always gives a path the same bytes. Needs no dynamic table, because a path that was not sent before is a literal with
 * static name index 4 (or 5).
 */
export function encodedPath(block: Buffer): Buffer | null {
  let at = 0
  while (at < block.length) {
    const first = block[at] ?? 0
    if (first & 0x80) {
      at = integer(block, at, 7).next
      continue
    }
    if ((first & 0xe0) === 0x20) {
      at = integer(block, at, 5).next
      continue
    }
    const name = integer(block, at, first & 0x40 ? 6 : 4)
    at = name.next
    if (name.value === 0) at = skipString(block, at)
    const length = integer(block, at, 7)
    const end = length.next + length.value
    if (name.value === 4 || name.value === 5) return block.subarray(length.next, end)
    at = end
  }
  return null
}

/** Returns the response's header block: `:status: 200`, and a content type if there is a body. Stateless. */
export function okBlock(contentType: string | undefined): Buffer {
  if (contentType === undefined) return Buffer.from([0x88])
  return Buffer.concat([Buffer.from([0x88, 0x0f, 0x10, contentType.length]), Buffer.from(contentType)])
}

function skipString(block: Buffer, at: number): number {
  const length = integer(block, at, 7)
  return length.next + length.value
}

/** Decodes an integer with an n-bit prefix (RFC 7541, 5.1). */
function integer(block: Buffer, at: number, prefixBits: number): { value: number; next: number } {
  const max = (1 << prefixBits) - 1
  let value = (block[at] ?? 0) & max
  let next = at + 1
  if (value < max) return { value, next }
  let shift = 0
  for (;;) {
    const byte = block[next++] ?? 0
    value += (byte & 0x7f) << shift
    shift += 7
    if (!(byte & 0x80)) return { value, next }
  }
}
