import clsx from 'clsx'
import { Fragment, type ReactNode } from 'react'

type DottedPartsProps = {
  parts: ReactNode[]
  /** Begins with a capital letter. */
  capitalized?: boolean
}

/**
 * Parts of a text with dots between them. A line that is too long breaks between the parts, not between a label and its
 * date. The dot at the start of a line is outside the box, which hides it. Screen readers get a comma instead.
 */
export function DottedParts({ parts, capitalized = false }: DottedPartsProps) {
  return (
    <span className="block overflow-hidden">
      <span className="-ml-3.5 flex flex-wrap">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and their order never changes
          <Fragment key={index}>
            <span
              className={clsx(
                'min-w-0 wrap-anywhere before:-ml-3.5 before:inline-block before:w-3.5 before:text-center pl-3.5',
                index > 0 ? "before:content-['·'/'']" : 'before:content-none',
                "not-last:after:content-[''/',']",
                capitalized && 'first:first-letter:uppercase',
              )}
            >
              {part}
            </span>{' '}
          </Fragment>
        ))}
      </span>
    </span>
  )
}
