/** Signs in with next-auth, which sets the session's cookie. Null: it worked; else next-auth's code. */
export async function passwordSignIn(email: string, password: string): Promise<string | null> {
  const { signIn } = await import('next-auth/react')
  try {
    const answer = await signIn('credentials', { email, password, redirect: false })
    if (answer?.ok) return null
    return answer?.status === 429 ? 'TooManyRequests' : (answer?.error ?? 'Unknown')
  } catch {
    return 'Unknown'
  }
}
