import { createContext, useContext } from 'react'

/** Characters at the end that a long name always shows: the extension and what distinguishes versions. */
const TAIL_CHARS = 12

/** Width of the names in the grid in pixels and their CSS font. Null until the browser has measured them. */
export const TileNameSize = createContext<{ width: number; font: string } | null>(null)

type TileNameProps = {
  name: string
  /** The element around it has the name as its `aria-label`. */
  hasLabel: boolean
}

/** A name in at most two lines. A longer one is cut in its middle, so that the second line has its end. */
export function TileName({ name, hasLabel }: TileNameProps) {
  const size = useContext(TileNameSize)
  const [first, second] = size ? fitLines(name, size.width, size.font) : [name]
  // The lines are not the name: they are cut or have a line break within it.
  const isDivided = second !== undefined
  return (
    <>
      {/* Not selectable, so that copied text has the name only once. */}
      {isDivided && !hasLabel && <span className="sr-only select-none">{name}</span>}
      <span
        data-tile-name
        aria-hidden={isDivided}
        className={size ? 'block overflow-hidden whitespace-nowrap' : 'line-clamp-2 wrap-anywhere'}
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
 * Returns one or two lines of at most `width` pixels. The first ends after a word unless that would leave half of it empty;
 * the second always has the name's end.
 */
function fitLines(name: string, width: number, font: string): [string, string?] {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return [name]
  context.font = font
  const fits = (text: string) => context!.measureText(text.trim()).width <= width
  if (fits(name)) return [name]
  // Code points, so that no character is cut in two.
  const chars = [...name]
  const most = largest(chars.length, (count) => fits(chars.slice(0, count).join('')))
  const word = chars.findLastIndex((char, index) => index < most && index > most / 2 && /[\s_-]/.test(char))
  // The line can also end before a space.
  const end = word === -1 || chars[most] === ' ' ? most : word + 1
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
