import { isDatabaseUnavailable } from '../adapters/postgres/errors.ts'
import type { Services } from '../api/services.ts'
import type { Config } from '../config/config.ts'
import { createPasswords } from '../domain/accounts/password.ts'
import { wireAccess } from './access.ts'
import { wireAccounts } from './accounts.ts'
import { createInfrastructure } from './infrastructure.ts'
import { createLifecycle } from './lifecycle.ts'
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
  const lifecycle = createLifecycle()
  const infrastructure = await createInfrastructure(config, lifecycle)
  const { uploads, backendFiles, sweeper, store, urls, presignFile, deleteUserFiles } = wireUploads(
    config,
    infrastructure,
    lifecycle,
  )
  const { externalUsers, sharePasswords, ...accounts } = wireAccounts(
    config,
    infrastructure,
    { passwords, files: { deleteAll: deleteUserFiles } },
    lifecycle,
  )
  const shares = wireShares(
    config,
    infrastructure,
    { passwords: sharePasswords, presign: presignFile },
    lifecycle,
  )
  const { push, pushApps, gatewayHealth } = wirePush(config, infrastructure, lifecycle)
  const webhooks = wireWebhooks(config, infrastructure, { urls, store }, lifecycle)
  const { clock, log, metrics, trace } = infrastructure
  const services = {
    config,
    clock,
    log,
    metrics,
    trace,
    ...wireOperations(config, infrastructure, gatewayHealth, lifecycle),
    ...wireAccess(config, infrastructure, { ...accounts, externalUsers }, push.tokens),
    ...accounts,
    uploads,
    backendFiles,
    sweeper,
    store,
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
