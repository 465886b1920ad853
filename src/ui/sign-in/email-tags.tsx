import { Breakable } from '../components/breakable.tsx'

/** Values of a message that has `<email>{address}</email>`. The address wraps between its parts, not within a word. */
export const emailTags = (address: string) => ({
  address,
  email: () => (
    <strong className="font-medium break-words text-ink">
      <Breakable>{address}</Breakable>
    </strong>
  ),
})
