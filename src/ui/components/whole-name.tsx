import { Breakable } from './breakable.tsx'

/** A name or email within a sentence. It moves to the next line as a whole, and wraps only if it is longer than a line. */
export function WholeName({ children }: { children: string }) {
  return (
    <bdi className="inline-block max-w-full">
      <Breakable>{children}</Breakable>
    </bdi>
  )
}
