/** Called by Next once per server process, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { getServices } = await import('./server/container.ts')
  const services = await getServices()
  await services.start()
}
