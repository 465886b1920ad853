import { createContext, useContext } from 'react'
import type { DeletionSnapshot } from './deletion-queue.ts'

type Deletions = DeletionSnapshot & {
  /** Deletes files, unless the user undoes it in time. */
  add(ids: string[]): void
  /** Ends the undo period. */
  deleteNow(): void
}

export const DeletionsContext = createContext<Deletions | null>(null)

/** Returns the pending deletions and the function that adds to them. */
export function useDeletions(): Deletions {
  const deletions = useContext(DeletionsContext)
  if (!deletions) throw new Error('useDeletions needs a DeletionsProvider')
  return deletions
}
