/**
 * Tells password managers which account a password belongs to, in forms that do not ask for the email. They ignore inputs
 * of the type `hidden`.
 */
export function UsernameField({ email }: { email: string }) {
  return <input hidden type="text" name="email" autoComplete="username" value={email} readOnly />
}
