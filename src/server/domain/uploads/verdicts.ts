import { z } from 'zod'
import type { AdminActor } from '../../kernel/audit.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { trimmedText } from '../../kernel/text.ts'
import { removeObjectsOf } from './deletion.ts'
import { notFound } from './errors.ts'
import { publishNow } from './file-moves.ts'
import { decideHeldFile } from './held-files.ts'
import { VERDICTS } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'

/** Body of POST /api/admin/files/{id}/verdict. */
export const verdictInput = z
  .strictObject({ verdict: z.enum(VERDICTS), reason: trimmedText(200).optional() })
  .meta({ examples: [{ verdict: 'reject', reason: 'The file contains a virus.' }] })

export type VerdictInput = z.output<typeof verdictInput>

const STATE_AFTER = { accept: 'READY', reject: 'REJECTED' } as const

/**
 * Makes a HELD file READY or REJECTED. Files whose policy makes them public are published after they are READY. A file
 * that is already in that state stays unchanged.
 * @throws AppError NOT_FOUND; CONFLICT if the file is in another state
 */
export async function decideFile(deps: UploadDeps, id: string, input: VerdictInput, by: AdminActor) {
  for (;;) {
    const [file] = isId(id) ? await deps.repo.findAll([id]) : []
    if (!file || file.deletedAt) throw notFound()
    if (file.state === STATE_AFTER[input.verdict]) return
    if (file.state !== 'HELD')
      throw new AppError('CONFLICT', `The file is ${file.state}, not HELD. A verdict cannot change it.`)
    const at = deps.clock.now()
    const removable = await decideHeldFile(deps, file, input, { by, at })
    if (!removable) continue
    await removeObjectsOf(deps, removable, at)
    if (input.verdict === 'accept') await publishNow(deps, file)
    return
  }
}
