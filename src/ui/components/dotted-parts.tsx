import { Fragment, type ReactNode } from 'react'

/** Parts of a text with dots between them. A line that is too long breaks before a dot, not between a label and its date. */
export function DottedParts({ parts }: { parts: ReactNode[] }) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and their order never changes
    <Fragment key={index}>
      {index > 0 && ' '}
      <span className="inline-block">
        {index > 0 && '·\u00a0'}
        {part}
      </span>
    </Fragment>
  ))
}
