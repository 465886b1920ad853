import { type ReactNode, useState } from 'react'
import { Dropzone } from '../../../packages/client/components/dropzone.tsx'
import { FileList } from '../../../packages/client/components/file-list.tsx'
import { Inbox } from '../../../packages/client/components/inbox.tsx'
import { PushSwitch } from '../../../packages/client/components/push-switch.tsx'
import { UploadButton } from '../../../packages/client/components/upload-button.tsx'
import { UploadList } from '../../../packages/client/components/upload-list.tsx'
import { client, isSignedIn, pushDevice, signIn, uploader } from './session.ts'
import { SignIn } from './sign-in.tsx'

const PAGES: Record<string, () => ReactNode> = {
  'upload-button': () => <UploadButton uploader={uploader} />,
  dropzone: () => <Dropzone uploader={uploader} hint="Images, videos and PDF files up to 5 GB" />,
  'upload-list': () => (
    <div className="flex flex-col items-start gap-4 *:w-full *:first:w-auto">
      <UploadButton uploader={uploader} />
      <UploadList uploader={uploader} />
    </div>
  ),
  'file-list': () => <FileList client={client} uploader={uploader} />,
  'push-switch': () => <PushSwitch device={pushDevice} />,
  inbox: () => <Inbox client={client} />,
}

/** A page for each component, which shows it in light, dark, phone width and right-to-left. */
export function App() {
  const [isReady, setIsReady] = useState(isSignedIn)
  const name = new URLSearchParams(location.search).get('component') ?? 'upload-button'
  const show = PAGES[name]
  return (
    <main className="flex min-h-screen flex-col gap-6 bg-background p-4 text-foreground">
      <h1 className="text-2xl font-semibold">{name}</h1>
      <nav aria-label="Components" className="flex flex-wrap gap-4">
        {Object.keys(PAGES).map((page) => (
          <a
            key={page}
            href={`?component=${page}`}
            aria-current={page === name ? 'page' : undefined}
            className="underline aria-[current=page]:font-semibold"
          >
            {page}
          </a>
        ))}
      </nav>
      {!isReady && (
        <SignIn
          onSubmit={async (email, password) => {
            await signIn(email, password)
            setIsReady(true)
          }}
        />
      )}
      {isReady && show && (
        <div className="grid gap-6 lg:grid-cols-2">
          <Variant name="Light" className="light">
            {show()}
          </Variant>
          <Variant name="Dark" className="dark">
            {show()}
          </Variant>
          <Variant name="Phone width" className="light max-w-[360px]">
            {show()}
          </Variant>
          <Variant name="Right to left" className="dark" dir="rtl">
            {show()}
          </Variant>
        </div>
      )}
    </main>
  )
}

type VariantProps = { name: string; className: string; dir?: 'rtl'; children: ReactNode }

function Variant({ name, className, dir, children }: VariantProps) {
  return (
    <section
      aria-label={name}
      dir={dir}
      className={`${className} flex min-w-0 flex-col gap-4 rounded-lg border border-border bg-background p-4 text-foreground`}
    >
      <p className="text-xs text-muted-foreground">{name}</p>
      {children}
    </section>
  )
}
