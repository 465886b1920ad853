'use client'

import { Button } from '../parts/button.tsx'

export type ProviderChoice = { id: string; name: string }

export function ProviderButtons({ providers, next }: { providers: ProviderChoice[]; next: string }) {
  if (providers.length === 0) return null
  async function go(id: string) {
    const { signIn } = await import('next-auth/react')
    await signIn(id, { callbackUrl: next })
  }
  return (
    <div className="space-y-2">
      <p className="flex items-center gap-3 py-2 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      {providers.map(({ id, name }) => (
        <Button key={id} className="min-h-11 w-full" onClick={() => go(id)}>
          Continue with {name}
        </Button>
      ))}
    </div>
  )
}
