import clsx from 'clsx'

type StoreImageProps = { url: string; filename: string; className?: string; onError(): void }

/** An image that the browser loads from the object store, as large as its container allows. */
export function StoreImage({ url, filename, className, onError }: StoreImageProps) {
  return (
    // biome-ignore lint/performance/noImgElement: Next's optimizer would make the app fetch the bytes from the store
    <img
      src={url}
      alt={filename}
      onError={onError}
      className={clsx('max-w-full object-contain', className)}
    />
  )
}
