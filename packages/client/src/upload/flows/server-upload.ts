import type { PartPlan } from '../../parts.ts'

/** A multipart upload that the server has opened, and the parts that are in the object store already. */
export type ServerUpload = {
  fileId: string
  parts: PartPlan
  done: Set<number>
  /** Its id is stored for a later run. Never rejects. Before that no byte is sent. */
  remembered: Promise<void>
}
