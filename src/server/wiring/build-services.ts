import { isDatabaseUnavailable } from '../adapters/postgres/errors.ts'
import type { Services } from '../api/services.ts'
import type { Config } from '../config/config.ts'
import { createPasswords } from '../domain/accounts/password.ts'
import { wireAccess } from './access.ts'
import { wireAccounts } from './accounts.ts'
import { createInfrastructure } from './infrastructure.ts'
import { wireOperations } from './operations.ts'
import { wirePush } from './push.ts'
import { wireShares } from './shares.ts'
import { wireUploads } from './uploads.ts'
import { wireWebhooks } from './webhooks.ts'

/** Services that the API calls, and background work. */
export type AppServices = Awaited<ReturnType<typeof buildServices>>

/**
 * Connects adapters to domains; no other module does. `start` waits for the database and starts background work,
 * `drain` stops that work, and `close` also closes all connections. Tests pass cheaper `passwords`.
 */
export async function buildServices(config: Config, passwords = createPasswords()) {
  const infrastructure = await createInfrastructure(config)
  const { urls, presignFile, deleteUserFiles, ...uploadServices } = wireUploads(config, infrastructure)
  const { sharePasswords, ...accounts } = wireAccounts(config, infrastructure, {
    passwords,
    deleteFiles: deleteUserFiles,
  })
  const shares = wireShares(config, infrastructure, { passwords: sharePasswords, presign: presignFile })
  const { push, pushApps, gatewayHealth } = wirePush(config, infrastructure)
  const webhooks = wireWebhooks(config, infrastructure, { urls, store: uploadServices.store })
  const { clock, lifecycle, log, metrics, trace } = infrastructure
  const services = {
    config,
    clock,
    log,
    metrics,
    trace,
    ...wireOperations(config, infrastructure, gatewayHealth),
    ...wireAccess(config, infrastructure, accounts, push.tokens),
    ...accounts,
    ...uploadServices,
    shares,
    push,
    pushApps,
    webhooks,
    isDatabaseUnavailable,
    start: lifecycle.start,
    drain: lifecycle.drain,
    close: lifecycle.close,
  }
  return services satisfies Services
}
