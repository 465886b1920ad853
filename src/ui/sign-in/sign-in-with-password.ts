/** Signs in through next-auth, which sets the session cookie. Returns null, or next-auth's error code. */
export async function signInWithPassword(email: string, password: string): Promise<string | null> {
  const { signIn } = await import('next-auth/react')
  try {
    const response = await signIn('credentials', { email, password, redirect: false })
    if (response?.ok) return null
    return response?.status === 429 ? 'TooManyRequests' : (response?.error ?? 'Unknown')
  } catch {
    return 'Unknown'
  }
}
