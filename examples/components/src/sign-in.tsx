import { useState } from 'react'

const FIELD = 'h-11 rounded-md border border-foreground/60 px-3'

export function SignIn({ onSubmit }: { onSubmit(email: string, password: string): Promise<void> }) {
  const [error, setError] = useState<string>()
  return (
    <form
      className="flex max-w-80 flex-col gap-4"
      action={async (fields) => {
        try {
          await onSubmit(String(fields.get('email')), String(fields.get('password')))
        } catch (cause) {
          setError((cause as Error).message)
        }
      }}
    >
      <label className="flex flex-col gap-1">
        Email
        <input name="email" type="email" autoComplete="username" required className={FIELD} />
      </label>
      <label className="flex flex-col gap-1">
        Password
        <input name="password" type="password" autoComplete="current-password" required className={FIELD} />
      </label>
      <button type="submit" className="h-11 rounded-md bg-primary px-4 text-primary-foreground">
        Sign in
      </button>
      <p role="alert">{error}</p>
    </form>
  )
}
