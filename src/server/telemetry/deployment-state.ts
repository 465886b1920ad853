import type { Platform, Upstream } from '../push/ports.ts'
import type { QueueDepth, WebhookBacklog } from './gauges.ts'
import type { Readiness } from './health.ts'

export type DeploymentState = Readiness & {
  gateways: { platform: Platform; configured: boolean; openCircuitBreakers: string[] }[]
  queue: QueueDepth
  webhooks: Pick<WebhookBacklog, 'pending' | 'failing'>
}

export type DeploymentStateDeps = {
  ready(): Promise<Readiness>
  configured: Record<Platform, boolean>
  /** The gateway that an upstream is part of. */
  platformOf(upstream: Upstream): Platform
  openCircuitBreakers(): Promise<readonly Upstream[]>
  queue(): Promise<QueueDepth>
  webhooks(): Promise<WebhookBacklog>
}

/** For administrators: how this replica is, and what waits in the database. */
export function createDeploymentState(deps: DeploymentStateDeps): () => Promise<DeploymentState> {
  return async () => {
    const [readiness, open, queue, { pending, failing }] = await Promise.all([
      deps.ready(),
      deps.openCircuitBreakers(),
      deps.queue(),
      deps.webhooks(),
    ])
    const gateways = (Object.keys(deps.configured) as Platform[]).map((platform) => ({
      platform,
      configured: deps.configured[platform],
      openCircuitBreakers: open.filter((upstream) => deps.platformOf(upstream) === platform),
    }))
    return { ...readiness, gateways, queue, webhooks: { pending, failing } }
  }
}
