import { AppError } from '../errors.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './password.ts'

export type SharePasswordsDeps = { passwords: Passwords; throttled: LoginThrottle }

/** Passwords of shared links. They wait in the queue of sign-ins, where addresses take turns. */
export function createSharePasswords({ passwords, throttled }: SharePasswordsDeps) {
  return {
    /** @throws AppError TOO_MANY_REQUESTS */
    hash: (password: string, address: string): Promise<string> =>
      throttled({ email: null, address }, [], () => passwords.hash(password)),

    /** @throws AppError FORBIDDEN: it is wrong; TOO_MANY_REQUESTS, by share or by address */
    verify: (
      attempt: { shareId: string; address: string },
      password: string,
      stored: string,
    ): Promise<void> =>
      throttled(attempt, ['FORBIDDEN'], async () => {
        if (!(await passwords.verify(password, stored)).ok)
          throw new AppError('FORBIDDEN', 'The password of this link is wrong.')
      }),
  }
}
