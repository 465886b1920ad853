import { createContext, lazy, type ReactNode, Suspense, useContext, useState } from 'react'
import { CANCELED, errorDetails, withCode } from './error-text.ts'

/**
 * Runs an action, and again after the user has confirmed who they are if the server asks for that. Fails with `CANCELED`
 * if they do not want to.
 */
type WithRecentSignIn = <Result>(action: () => Promise<Result>) => Promise<Result>

const RecentSignInContext = createContext<WithRecentSignIn | null>(null)

const ReauthenticationDialog = lazy(async () => ({
  default: (await import('../layout/reauthentication-dialog.tsx')).ReauthenticationDialog,
}))

/** The user's answer in the dialog: true if they have signed in again, false if they canceled. */
type Question = { answer(hasSignedIn: boolean): void }

/** Asks for the password or provider where the server requires a recent sign-in. The page keeps what was entered. */
export function RecentSignInProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()

  async function ask(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    setQuestion({ answer: resolve })
    const hasSignedIn = await promise
    setQuestion(undefined)
    return hasSignedIn
  }

  const withRecentSignIn: WithRecentSignIn = async (action) => {
    for (;;)
      try {
        return await action()
      } catch (error) {
        if (errorDetails(error).reason !== 'reauthentication_required') throw error
        if (!(await ask())) throw withCode(CANCELED)
      }
  }

  return (
    <RecentSignInContext value={withRecentSignIn}>
      {children}
      {question && (
        <Suspense>
          <ReauthenticationDialog
            onSignedIn={() => question.answer(true)}
            onCancel={() => question.answer(false)}
          />
        </Suspense>
      )}
    </RecentSignInContext>
  )
}

export function useRecentSignIn(): WithRecentSignIn {
  const withRecentSignIn = useContext(RecentSignInContext)
  if (!withRecentSignIn) throw new Error('useRecentSignIn needs an AppProvider')
  return withRecentSignIn
}
