/**
 * Returns width and height of a WebP image, or null for an animation or another format.
 * Sources: https://developers.google.com/speed/webp/docs/riff_container and RFC 6386, 9.1, for the lossy form.
 */
export function webpSize(bytes: Buffer): { width: number; height: number } | null {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to)
  if (bytes.length < 30 || text(0, 4) !== 'RIFF' || text(8, 12) !== 'WEBP') return null
  // The size excludes the eight bytes before it.
  if (bytes.readUInt32LE(4) !== bytes.length - 8) return null
  switch (text(12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null
      const sides = bytes.readUInt32LE(21)
      return { width: (sides & 0x3fff) + 1, height: ((sides >> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      // Animation flag.
      if (bytes[20]! & 0x02) return null
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
