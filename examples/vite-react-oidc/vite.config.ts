import { defineConfig } from 'vite'

// The page's own backend has the page's origin. Pigeonhole has another one.
const backend = process.env.BACKEND_URL ?? 'http://127.0.0.1:5174'

export default defineConfig({
  server: { port: 5173, strictPort: true, proxy: { '/backend': backend } },
})
