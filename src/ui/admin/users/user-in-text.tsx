import type { AdminUser } from '@pigeonhole/client/admin'
import { WholeName } from '../../components/whole-name.tsx'
import { accountName } from './user-name.ts'

/** Returns the values of a text with `<name>{user}</name>`, which show the user's name in the color of text. */
export const userInText = (user: AdminUser) => ({
  user: accountName(user),
  name: () => (
    <span className="font-medium text-ink">
      <WholeName>{accountName(user)}</WholeName>
    </span>
  ),
})
