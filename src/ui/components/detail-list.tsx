import type { ReactNode } from 'react'

type DetailListProps = {
  /** Labels and values. Those without a value are left out. */
  details: [label: string, value: ReactNode][]
}

/** Values that an app stored with a file, by name. The database does not keep their order. */
export function DataList({ data }: { data: Record<string, string | number | boolean> }) {
  const sorted = Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1))
  return <DetailList details={sorted.map(([name, value]) => [name, String(value)])} />
}

/** Labels with values, in two columns where there is room. */
export function DetailList({ details }: DetailListProps) {
  return (
    <dl className="grid gap-x-6 gap-y-3 px-4 py-4 text-sm sm:grid-cols-2 sm:px-5">
      {details
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt dir="auto" className="text-left wrap-anywhere text-ink-soft">
              {label}
            </dt>
            <dd dir="auto" className="text-left font-medium wrap-anywhere">
              {value}
            </dd>
          </div>
        ))}
    </dl>
  )
}
