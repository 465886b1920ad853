/**
 * Next calls this once per server process. The launcher waits for the outcome, because Next itself continues when
 * this fails.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { getServices } = await import('./server/container.ts')
  const { reportStart } = await import('./server/started.ts')
  await reportStart(async () => {
    const services = await getServices()
    await services.start()
    return services
  })
}
