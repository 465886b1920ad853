/** Called by Next once per server process. Starts the services, unless `npm start` already has. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { loadServices } = await import('./server/wiring/load-services.ts')
    await loadServices()
  }
}
