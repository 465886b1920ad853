import { defineConfig } from 'vite'

// The service worker that shows pushes in this browser.
export default defineConfig({ publicDir: '../../public', server: { port: 5176, strictPort: true } })
