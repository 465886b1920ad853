import { open } from 'node:fs/promises'
import type { Client } from '@pigeonhole/client'
import { round } from './load.ts'
import { type Noise, noiseOfRounds } from './noise.ts'
import type { Report } from './report.ts'

export const MIB = 1024 * 1024
/** The engine's default number of parallel PUTs (packages/client/src/upload/engine/uploader.ts). */
export const AT_ONCE = 4

/** `more`: additional columns with figures of the same round. */
export type Run = { seconds: number; more?: Record<string, number> }
export type Result = { rows: Report['rows']; note: string; failed: boolean; noise: Noise }

/** An initiated multipart upload with a URL for each part, for PUTs without the engine. */
export type Signed = { partSize: number; urls: string[] }

/**
 * Compares the median round of the engine with that of bare PUTs of the same parts. URLs of a bare round are signed
 * before the clock starts. `calls` adds the calls that any client must make, which is the engine's lower bound. Rounds
 * take turns, so that other work on the machine affects all equally.
 */
export async function besideBare(
  client: Client,
  what: { name: string; bareName: string; callsName?: string; size: number; rounds: number; target: number },
  subjects: { bare(signed: Signed): Promise<Run>; calls?(): Promise<Run>; engine(): Promise<Run> },
): Promise<Result> {
  const bare: Run[] = []
  const calls: Run[] = []
  const engine: Run[] = []
  for (let n = 0; n < what.rounds; n++) {
    const { fileId, ...signed } = await signedParts(client, what.size)
    bare.push(await subjects.bare(signed))
    await client.upload.abortMultipart.mutate({ fileId })
    if (subjects.calls) calls.push(await subjects.calls())
    engine.push(await subjects.engine())
    for (const { id } of (await client.files.list.query({})).items)
      await client.files.delete.mutate({ fileId: id })
  }
  const base = median(bare)
  const ours = median(engine)
  const row = (client: string, { seconds, more }: Run) => ({
    client,
    'MiB/s': Math.round(what.size / MIB / seconds),
    seconds: round(seconds),
    ratio: round(base.seconds / seconds),
    ...more,
  })
  // No client can do without the calls.
  const ratio = (what.callsName ? median(calls) : base).seconds / ours.seconds
  return {
    rows: [
      row(what.bareName, base),
      ...(what.callsName ? [row(what.callsName, median(calls))] : []),
      row(what.name, ours),
    ],
    note: `${what.name}: ${what.size / MIB} MiB, ${AT_ONCE} parts at once, median of ${what.rounds} rounds in turn; target: ${what.target} of ${what.callsName ? 'bare PUTs and the calls' : 'bare PUTs'}, reached ${ratio.toFixed(2)}`,
    noise: noiseOfRounds(
      what.bareName,
      'time',
      bare.map(({ seconds }) => seconds),
    ),
    failed: ratio < what.target,
  }
}

/** Writes a file that starts like a video and then repeats one byte. */
export async function writeFilm(path: string, size: number): Promise<void> {
  const piece = Buffer.alloc(MIB, 7)
  const out = await open(path, 'w')
  for (let at = 0; at < size; at += MIB) await out.write(piece)
  await out.write(Buffer.from('\0\0\0\x18ftypisom', 'latin1'), 0, 12, 0)
  await out.close()
}

async function signedParts(client: Client, size: number): Promise<Signed & { fileId: string }> {
  const totalParts = Math.ceil(size / (5 * MIB))
  const { fileId, partSize } = await client.upload.initiateMultipart.mutate({
    ...{ filename: 'bare.mp4', mimeType: 'video/mp4', size, totalParts },
  })
  const urls: string[] = []
  for (let first = 1; first <= totalParts; first += 100) {
    const partNumbers = Array.from({ length: Math.min(100, totalParts + 1 - first) }, (_, i) => first + i)
    const { parts } = await client.upload.getPartUrls.mutate({ fileId, partNumbers })
    urls.push(...parts.map((part) => part.uploadUrl))
  }
  return { fileId, partSize, urls }
}

function median(runs: Run[]): Run {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]!
}
