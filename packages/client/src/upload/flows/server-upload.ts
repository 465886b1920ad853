import type { PartPlan } from '../../parts.ts'

/** Multipart upload that the server has opened, and the parts that are already stored. */
export type ServerUpload = {
  fileId: string
  parts: PartPlan
  done: Set<number>
  /** Resolves when the upload's ID is saved for a later run; never rejects. Nothing is sent before that. */
  remembered: Promise<void>
}
