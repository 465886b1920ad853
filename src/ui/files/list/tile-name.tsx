import { createContext, useContext } from 'react'

/** Characters at the end that a long name always shows: the extension and what distinguishes versions. */
const TAIL_CHARS = 12

/** Widths of the lines of names in the grid in pixels, and their CSS font. The menu is beside the first line. */
export type NameSize = { firstWidth: number; width: number; font: string }

/** Null until the browser has measured the names. */
export const TileNameSize = createContext<NameSize | null>(null)

type TileNameProps = {
  name: string
  /** The element around it has the name as its `aria-label`. */
  hasLabel: boolean
}

/** A name in at most two lines. A longer one is cut in its middle, so that the second line has its end. */
export function TileName({ name, hasLabel }: TileNameProps) {
  const size = useContext(TileNameSize)
  const [first, second] = size ? fitLines(name, size) : [name]
  // The lines are not the name: they are cut or have a line break within it.
  const isDivided = second !== undefined
  return (
    <>
      {/* Not selectable, so that copied text has the name only once. */}
      {isDivided && !hasLabel && <span className="sr-only select-none">{name}</span>}
      <span
        data-tile-name
        aria-hidden={isDivided}
        className={size ? 'block overflow-hidden whitespace-nowrap' : 'mr-6 line-clamp-2 wrap-anywhere'}
      >
        {first}
        {isDivided && (
          <>
            <br />
            {second}
          </>
        )}
      </span>
    </>
  )
}

let context: CanvasRenderingContext2D | null | undefined

/**
 * Returns one or two lines. The first ends after a word, or else before a dot, unless that would leave half of it empty.
 * The second always has the name's end.
 */
function fitLines(name: string, { firstWidth, width, font }: NameSize): [string, string?] {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return [name]
  context.font = font
  const fits = (text: string, most = width) => context!.measureText(text.trim()).width <= most
  if (fits(name, firstWidth)) return [name]
  // Code points, so that no character is cut in two.
  const chars = [...name]
  const most = largest(chars.length, (count) => fits(chars.slice(0, count).join(''), firstWidth))
  const lastEnd = (isEnd: (index: number) => boolean) =>
    chars.findLastIndex((_, index) => index < most && index > most / 2 && isEnd(index))
  const word = lastEnd((index) => /[\s_-]/.test(chars[index]!))
  const last = word === -1 ? lastEnd((index) => chars[index + 1] === '.') : word
  // The line can also end before a space.
  const end = last === -1 || chars[most] === ' ' ? most : last + 1
  const first = chars.slice(0, end).join('')
  const rest = chars.slice(end)
  if (fits(rest.join(''))) return [first, rest.join('')]
  const tailLength = largest(Math.min(TAIL_CHARS, rest.length), (count) =>
    fits(`…${rest.slice(-count).join('')}`),
  )
  const tail = rest.slice(-tailLength).join('')
  const cutAt = (count: number) => `${rest.slice(0, count).join('').trimEnd()}…${tail}`
  return [first, cutAt(largest(rest.length - tailLength, (count) => fits(cutAt(count)), 0))]
}

/** Returns the largest number from `least` to `most` that fits, or `least` if none does. */
function largest(most: number, fits: (count: number) => boolean, least = 1): number {
  let [low, high] = [least, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}
