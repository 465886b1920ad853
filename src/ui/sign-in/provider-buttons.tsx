'use client'

import { Button } from '../components/button.tsx'

export type Provider = { id: string; name: string }

export function ProviderButtons({ providers, next }: { providers: Provider[]; next: string }) {
  if (providers.length === 0) return null
  async function signInWith(id: string) {
    const { signIn } = await import('next-auth/react')
    await signIn(id, { callbackUrl: next })
  }
  return (
    <div className="space-y-2">
      <p className="flex items-center gap-3 py-2 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      {providers.map(({ id, name }) => (
        <Button key={id} className="min-h-11 w-full" onClick={() => signInWith(id)}>
          Continue with {name}
        </Button>
      ))}
    </div>
  )
}
