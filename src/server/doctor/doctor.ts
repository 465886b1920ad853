import type { Config } from '../config.ts'
import { checkWebPush } from './check-gateways.ts'
import { examine, examineQuickly, reportEnvironment } from './examine.ts'
import type { Finding, Findings, Report } from './finding.ts'

export type Doctor = ReturnType<typeof createDoctor>

/** `npm run doctor` for administrators who have no shell. `migrations`: the folder of this release's. */
export function createDoctor(config: Config, migrations: string) {
  return {
    /** Writes nothing and sends no push. Takes as long as the slowest peer, at most some 15 s. */
    quick: sharedRun(async (report) => {
      reportEnvironment(config, report)
      await examineQuickly(config, migrations, report)
      checkWebPush(config, report)
    }),

    /** Tries everything; removes again what it writes. Some seconds, a minute with peers that do not answer. */
    full: sharedRun((report) => examine(config, migrations, report)),
  }
}

/** One run at a time in this process: who asks meanwhile gets the same findings. */
function sharedRun(run: (report: Report) => Promise<void>): () => Promise<Findings> {
  let running: Promise<Findings> | undefined
  return () => {
    running ??= collect(run).finally(() => {
      running = undefined
    })
    return running
  }
}

async function collect(run: (report: Report) => Promise<void>): Promise<Findings> {
  const findings: Finding[] = []
  await run((check, status, message) => findings.push({ check, status, message }))
  return { ok: findings.every(({ status }) => status !== 'FAIL'), findings }
}
