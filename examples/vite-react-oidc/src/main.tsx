import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { resumeSession, userManager } from './session.ts'

const session = await resumeSession()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {session ? (
      <App session={session} />
    ) : (
      <button type="button" onClick={() => userManager.signinRedirect()}>
        Sign in
      </button>
    )}
  </StrictMode>,
)
