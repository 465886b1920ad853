import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { people, resumeSession } from './session.ts'

const session = await resumeSession()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {session ? (
      <App session={session} />
    ) : (
      <button type="button" onClick={() => people.signinRedirect()}>
        Sign in
      </button>
    )}
  </StrictMode>,
)
