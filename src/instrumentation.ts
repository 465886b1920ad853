/** Next calls this once per server process. `npm start` has started the services by then; nobody else who runs Next has. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { loadServices } = await import('./server/load-services.ts')
    await loadServices()
  }
}
