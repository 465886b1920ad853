import fc from 'fast-check'

// Control characters and ASCII, the rest below the surrogates, the rest above them.
const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
)
const unit = codePoint.map((value) => String.fromCodePoint(value))

/**
 * Returns an arbitrary for strings of any code points. The unit `binary` of `fc.string` is the same, but computing it
 * takes 1.5 s in each process.
 */
export const anyText = (lengths: { minLength?: number; maxLength?: number } = {}) =>
  fc.string({ unit, ...lengths })
