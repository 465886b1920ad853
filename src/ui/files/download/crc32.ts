const POLYNOMIAL = 0xedb8_8320

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1
  return sum
})

/** CRC-32 as ZIP and PNG use it. `before`: of the bytes before these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let sum = ~before
  for (let i = 0; i < bytes.length; i++) sum = TABLE[(sum ^ bytes[i]!) & 0xff]! ^ (sum >>> 8)
  return ~sum >>> 0
}
