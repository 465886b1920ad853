import clsx from 'clsx'
import type { ComponentProps } from 'react'

type StoreImageProps = Omit<ComponentProps<'img'>, 'src' | 'alt'> & { url: string; filename: string }

/** An image that the browser loads from the object store, as large as its container allows. */
export function StoreImage({ url, filename, className, ...image }: StoreImageProps) {
  return (
    // biome-ignore lint/performance/noImgElement: Next's optimizer would make the app fetch the bytes from the store
    <img src={url} alt={filename} className={clsx('max-w-full object-contain', className)} {...image} />
  )
}
